// Plans the memory of a device's share before anything is allocated: how many bytes of each kind of
// memory the share needs, and at which offset everything lies.
//
// A plan keeps budgets of memory.  The first of these modes that fits is taken:
//
//   in core, all fronts at once or in a few groups
//   in core, in more groups, depth first, which need less memory (groups.hpp)
//   streamed through host memory (stream/plan.hpp)
//
// Prediction and allocation read the same layout.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "numeric/device/factor.hpp"
#include "numeric/device/host_solve.hpp"
#include "numeric/device/solve.hpp"
#include "numeric/device/stream/panel_store.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {

/// Right-hand sides of a block for which memory is laid out.  A part of a factor solves for at most
/// one such block at once.
inline constexpr Index kUsualColumns = 16;

/// Budgets of memory, in bytes.
struct ShareBudgets {
  Offset device = 0;  ///< Device memory that the share may use.
  Offset buffer = 0;  ///< Size of one device buffer, at most.
  Offset host = 0;    ///< Host memory that panels and update matrices may take.
  /// Whether the caller gave the limit of device or host memory; otherwise it is what is available.
  bool device_is_given = false, host_is_given = false;
  /// Bytes a second of the file for panels that host memory has no room for; 0: there is no file.
  double file_rate = 0;
};

/// What makes a share's factor a part of a whole factor (symbolic::FactorPart).
struct SharePart {
  std::vector<Index> imported, exported;  // As in DevicePlanOptions.
  std::vector<Index> level;               // As in DevicePlanOptions.
  std::vector<Index> waves;  // small_waves() of the whole factor, of the part's fronts.
  std::vector<std::vector<Index>> joined;  // joined_small_classes() of the whole factor.
};

/// Memory layout without X and the workspace of solves.  Steps 0 to G - 1 are the G groups of
/// fronts; step G is a solve.
struct ShareLayout {
  MemoryPlan plan;
  // Buffer of the update matrices (of a streamed factor, the arena), and buffer of X and of the
  // workspace of solves.
  Index updates = kNone, room = kNone;
  MemoryPlan::Place inverses;  // Inverted diagonal blocks of the slabs that stay on the device.
  MemoryPlan::Place ring;      // Ring, through which the other slabs come during solves.
  // Panels, and update matrices, of a dropped slab that is factored again.
  MemoryPlan::Place dropped, scratch;
};

/// Memory layout of everything, a solve with a certain number of right-hand sides included.
struct SolveLayout {
  MemoryPlan plan;
  MemoryPlan::Place x, workspace;
};

/// Launches, lists and memory layout of a share.  Lists are on the host until
/// DeviceFactor::allocate().
template <class T>
struct SharePlan {
  std::unique_ptr<DeviceFactor<T>> factor;
  std::unique_ptr<DeviceSolve<T>> solve;
  std::unique_ptr<HostSolve<T>> host;  // Solves by the CPU; null: the device solves with all slabs.
  // First entry of each slab's inverted blocks among those of all slabs that stay on the device,
  // and the end.  0 for slabs that do not stay.  Length: slabs + 1.
  std::vector<Offset> inverses;
  ShareLayout memory;
  Index columns = 1;  // Right-hand sides that a solve takes at once, at most.

  /// Bytes of host memory for panels and update matrices.
  Offset host_bytes() const { return memory.plan.bytes(Tier::kHost); }
  /// Bytes of panels in the scratch file.
  Offset file_bytes() const { return memory.plan.bytes(Tier::kFile); }
  /// First of the slabs that stay on the device; all later slabs stay, too.
  Index first_resident() const {
    const auto& stream = factor->plan().stream;
    return stream ? stream->first_resident : 0;
  }
  Index num_slabs() const { return static_cast<Index>(factor->plan().slabs.size()); }
};

/// Rates of a device, from the row "stream", "rates" of its tuning data, which is for all
/// precisions.  "gflops", "mb_per_s", "group_us" and "column_ns" set members of StreamRates.
/// "thread_mb_per_s" (of one thread) and "host_mb_per_s" (of all threads) set the rate of solves by
/// the CPU.  What the row does not name keeps its default.
/// @param value_bytes  Bytes of a value of the scalar type.
/// @param threads      Host threads that solve.
StreamRates stream_rates(const gpu::Tuning& tuning, Offset value_bytes, int threads);

/// Prediction for one mode, that is, one way to compute a factor and to solve with it.
struct ModeEstimate {
  /// Whether the factor is streamed, and whether this is the mode of about the least device memory.
  bool is_streamed = false, is_least = false;
  Offset device = 0, host = 0;  ///< Bytes of device memory and of host memory.
  /// Bytes of the file: a factorization writes them, and each half of a solve reads them.
  Offset file = 0;
  /// Seconds of a factorization, and of a solve with one right-hand side.
  double factor_s = 0, solve_s = 0;
  /// Bytes that a factorization transfers to the host and to the device, and that a solve moves.
  Offset to_host = 0, to_device = 0, solve = 0;
  Offset cpu_solve = 0;  ///< Bytes of panels that the CPU solves with.
};

/// Makes plans for one matrix on one device.  T: double, float.
template <class T>
class SharePlanner {
 public:
  /// The runtime and the symbolic factor must outlive the planner.
  /// @param num_values  Stored values of A's lower triangle.
  /// @param part        Must outlive the planner; null: the factor is a whole one.  A part is never
  ///                    streamed.
  SharePlanner(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
               Offset num_values, const ShareBudgets& budgets, int threads,
               const SharePart* part = nullptr)
      : runtime_(runtime),
        symbolic_(symbolic),
        num_values_(num_values),
        budgets_(budgets),
        threads_(threads),
        part_(part) {}

  /// Makes a plan within the budgets: builds kernels and makes lists.
  /// Throws OutOfMemory when the budgets are too small, or a buffer would be larger than the device
  /// allows; BuildError.
  SharePlan<T> make(const symbolic::EntryMap& entries, const DeviceKernelParams& params) const;

  /// Predicts several modes, whatever the budget of device memory is: in core; streamed within a
  /// half, a quarter and an eighth of the in-core mode's device memory, as far as that suffices;
  /// and streamed within about the least device memory.  Throws BuildError.
  std::vector<ModeEstimate> modes(const symbolic::EntryMap& entries,
                                  const DeviceKernelParams& params) const;

  /// Where the inverted diagonal blocks of slabs that stay lie: in the buffer of update matrices,
  /// in a buffer of their own, or in the better one of the two.
  enum class Inverses : unsigned char { kAsIsBest, kApart, kInUpdates };
  /// Lays the memory of a plan out anew.
  /// @param updates_there  Bytes that the buffer of update matrices already has.
  void place(SharePlan<T>& plan, Inverses inverses = Inverses::kAsIsBest,
             Offset updates_there = 0) const;

  /// The plan's memory layout with X and workspace for nrhs right-hand sides.
  SolveLayout with_solve(const SharePlan<T>& plan, Index nrhs) const {
    return with_solve(plan, plan.memory, nrhs);
  }
  /// Bytes of device memory of a factorization and a solve with nrhs right-hand sides.
  Offset bytes(const SharePlan<T>& plan, Index nrhs) const {
    return bytes(plan, plan.memory, nrhs);
  }

  const ShareBudgets& budgets() const { return budgets_; }
  Offset num_values() const { return num_values_; }
  int threads() const { return threads_; }

 private:
  /// Memory that a plan needs besides update matrices and panels, and facts that later plans use.
  struct Others {
    Offset bytes = 0;         // Bytes of device memory for everything else, approximately.
    Offset block = 0;         // More bytes if solves take kUsualColumns right-hand sides at once.
    Offset host = 0;          // Bytes of host memory for solves by the CPU.
    Offset panels = 0;        // Entries of all panels.
    bool by_tickets = false;  // Whether DeviceSolve::order() is "tickets".
  };
  Others others_of(const SharePlan<T>& plan) const;
  SharePlan<T> make_less(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                         const Others& others) const;
  std::optional<SharePlan<T>> make_in_core(const symbolic::EntryMap& entries,
                                           const DeviceKernelParams& params,
                                           const Others& others) const;
  std::optional<SharePlan<T>> make_streamed(const symbolic::EntryMap& entries,
                                            const DeviceKernelParams& params, Others others) const;
  Others others_beside(const SharePlan<T>& plan) const;
  Offset bytes_beside(const SharePlan<T>& plan) const;
  SharePlan<T> make_least(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                          const Others& others) const;
  ModeEstimate estimate(const SharePlan<T>& plan) const;
  std::optional<StreamPlan> stream_within(Offset bytes, const Others& others,
                                          const DeviceKernelParams& params) const;
  SharePlan<T> make_plan(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                         const GroupLimits& limits, std::optional<StreamPlan> stream = {}) const;
  void check(const SharePlan<T>& plan) const;
  Index choose_columns(const SharePlan<T>& plan) const;
  /// How much memory solves keep in the buffer of update matrices.
  struct Kept {
    bool in_updates = false;   // Whether inverted blocks lie there; otherwise in their own buffer.
    Offset updates_there = 0;  // Bytes that the buffer of update matrices already has.
    // Entries of the ring, and of the memory in which a dropped slab is factored again.
    Offset ring = 0, dropped = 0;
  };
  ShareLayout lay_out(const SharePlan<T>& plan, const Kept& kept) const;
  SolveLayout with_solve(const SharePlan<T>& plan, const ShareLayout& memory, Index nrhs) const;
  Offset bytes(const SharePlan<T>& plan, const ShareLayout& memory, Index nrhs) const {
    return with_solve(plan, memory, nrhs).plan.bytes(Tier::kDevice);
  }

  gpu::DeviceRuntime& runtime_;
  const symbolic::SymbolicFactor& symbolic_;
  Offset num_values_;
  ShareBudgets budgets_;
  int threads_;
  const SharePart* part_;  // Null: the factor is a whole one.
};

}  // namespace clchol::numeric
