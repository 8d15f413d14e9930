// What a device's share takes of memory, and where everything lies, before anything is allocated.
//
// A plan is made within budgets: all fronts at once where memory allows it, in groups depth first
// where it does not (groups.hpp), streamed through host memory where even that is too much
// (stream/plan.hpp).  Prediction and allocation read the same layout.
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

/// Right-hand sides of a block for which memory is laid out; a part of a factor solves for at most
/// so many at once.
inline constexpr Index kUsualColumns = 16;

/// Budgets of memory, in bytes.
struct ShareBudgets {
  Offset device = 0;  ///< That the share may take of the device.
  Offset buffer = 0;  ///< That one of its buffers may have.
  Offset host = 0;    ///< That panels and update matrices may take of the host.
  bool device_is_given = false, host_is_given = false;  ///< By the caller; else all that is there.
  /// Bytes a second of a file that panels go to where the host has no room; 0: there is none.
  double file_rate = 0;
};

/// What makes a share's factor a part of a whole one (symbolic::FactorPart).
struct SharePart {
  std::vector<Index> imported, exported;   // As in DevicePlanOptions,
  std::vector<Index> level;                // and so this.
  std::vector<Index> waves;                // small_waves() of the part's fronts in the whole.
  std::vector<std::vector<Index>> joined;  // joined_small_classes() of the whole.
};

/// Memory of everything but solves: steps 0 to G - 1 are the groups of fronts, step G is a solve.
struct ShareLayout {
  MemoryPlan plan;
  // Buffers: of update matrices (the arena, if the factor is streamed), and of solves.
  Index updates = kNone, room = kNone;
  MemoryPlan::Place inverses;  // Of slabs that stay.
  MemoryPlan::Place ring;      // Where other slabs come;
  // Where dropped ones are made again, and their update matrices.
  MemoryPlan::Place dropped, scratch;
};

/// Memory of everything, a solve with a number of right-hand sides included.
struct SolveLayout {
  MemoryPlan plan;
  MemoryPlan::Place x, workspace;
};

/// Launches and lists, on the host until DeviceFactor::allocate(), and places in memory.
template <class T>
struct SharePlan {
  std::unique_ptr<DeviceFactor<T>> factor;
  std::unique_ptr<DeviceSolve<T>> solve;
  std::unique_ptr<HostSolve<T>> host;  // Where the CPU solves with some slabs.
  // Where the inverted blocks of each slab that stays begin, among all of them; and the end.
  std::vector<Offset> inverses;
  ShareLayout memory;
  Index columns = 1;  // Right-hand sides that a solve may take at once.

  /// Of panels and update matrices.
  Offset host_bytes() const { return memory.plan.bytes(Tier::kHost); }
  Offset file_bytes() const { return memory.plan.bytes(Tier::kFile); }
  /// This slab and all later ones stay on the device.
  Index first_resident() const {
    const auto& stream = factor->plan().stream;
    return stream ? stream->first_resident : 0;
  }
  Index num_slabs() const { return static_cast<Index>(factor->plan().slabs.size()); }
};

/// Of a device: row "stream", "rates" of its tuning data, for all precisions, with "gflops",
/// "mb_per_s", "group_us" and "column_ns" for the members of StreamRates, and for the rate of
/// solves by the CPU "thread_mb_per_s", of one thread, and "host_mb_per_s", of all; what the row
/// does not name is theirs.
StreamRates stream_rates(const gpu::Tuning& tuning, Offset value_bytes, int threads);

/// What one way to make a factor and to solve with it takes, by its plan.  Bytes.
struct ModeEstimate {
  bool is_streamed = false, is_least = false;
  Offset device = 0, host = 0;       ///< Memory.
  Offset file = 0;                   ///< Written by the one, and read by each half of the other.
  double factor_s = 0, solve_s = 0;  ///< A factorization, and a solve with one right-hand side.
  Offset to_host = 0, to_device = 0, solve = 0;  ///< Transfers of the one and of the other.
  Offset cpu_solve = 0;                          ///< Panels that the CPU solves with.
};

/// Makes plans for one matrix on one device.  T: double, float.
template <class T>
class SharePlanner {
 public:
  /// The runtime and the symbolic factor outlive the planner.
  /// @param num_values  of A's lower triangle.
  /// @param part  it outlives the planner; null: the factor is a whole one.  A part is never
  ///              streamed.
  SharePlanner(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
               Offset num_values, const ShareBudgets& budgets, int threads,
               const SharePart* part = nullptr)
      : runtime_(runtime),
        symbolic_(symbolic),
        num_values_(num_values),
        budgets_(budgets),
        threads_(threads),
        part_(part) {}

  /// A plan within the budgets.  Builds kernels and makes lists.
  /// Throws OutOfMemory when the budgets do not do, or a buffer would be larger than the device
  /// allows; BuildError.
  SharePlan<T> make(const symbolic::EntryMap& entries, const DeviceKernelParams& params) const;

  /// In core; streamed within a half, a quarter and an eighth of the memory that this takes, where
  /// that does; streamed within about the least that does.  Whatever the budgets are.
  /// Throws BuildError.
  std::vector<ModeEstimate> modes(const symbolic::EntryMap& entries,
                                  const DeviceKernelParams& params) const;

  /// Lays the memory of a plan out anew.
  /// @param updates_there  bytes that the buffer of update matrices has already.
  enum class Inverses : unsigned char { kAsIsBest, kApart, kInUpdates };
  void place(SharePlan<T>& plan, Inverses inverses = Inverses::kAsIsBest,
             Offset updates_there = 0) const;

  SolveLayout with_solve(const SharePlan<T>& plan, Index nrhs) const {
    return with_solve(plan, plan.memory, nrhs);
  }
  /// Bytes of the device that a factorization and a solve with so many right-hand sides take.
  Offset bytes(const SharePlan<T>& plan, Index nrhs) const {
    return bytes(plan, plan.memory, nrhs);
  }

  const ShareBudgets& budgets() const { return budgets_; }
  Offset num_values() const { return num_values_; }
  int threads() const { return threads_; }

 private:
  /// What a plan takes beside updates and panels.
  struct Others {
    Offset bytes = 0;         // Of lists, about, and of vectors.
    Offset block = 0;         // More bytes, where solves take kUsualColumns right-hand sides.
    Offset host = 0;          // Bytes of the host, where the CPU solves with some slabs.
    Offset panels = 0;        // Values.
    bool by_tickets = false;  // DeviceSolve::order().
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
  /// Where what solves keep lies.
  struct Kept {
    bool in_updates = false;  // Where the update matrices were; else apart.
    Offset updates_there = 0;
    Offset ring = 0, dropped = 0;  // Values.
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
  const SharePart* part_;
};

}  // namespace clchol::numeric
