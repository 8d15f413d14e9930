// Plans the memory of a device's share (share.hpp) before anything is allocated: how many bytes of
// device memory, host memory and file the share needs, and the offset of each array in its buffer.
//
// The caller gives a budget for each kind of memory.  The planner takes the first of these modes
// that fits the budgets:
//
//   1. in core, with all fronts in one group or a few groups
//   2. in core, with more groups, depth first, which needs less memory (groups.hpp)
//   3. streamed through host memory (stream/plan.hpp); not for a part of a factor
//
// The code that predicts memory and the code that allocates it read one and the same layout.
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

/// Right-hand sides of a usual block.  Plans are compared by their memory for solves with such a
/// block, and a part of a factor solves for at most this many right-hand sides at once.
inline constexpr Index kUsualColumns = 16;

/// Budgets of memory, in bytes.
struct ShareBudgets {
  Offset device = 0;  ///< Bytes of device memory that the share may use.
  Offset buffer = 0;  ///< Greatest number of bytes of one device buffer.
  /// Bytes of host memory that the share may use for panels, update matrices, slots of the file and
  /// solves by the CPU.
  Offset host = 0;
  /// Whether the user has set `device`, and whether the user has set `host`.  false: the budget is
  /// the memory that is available.  Error messages tell the two cases apart.
  bool device_is_given = false, host_is_given = false;
  /// Bytes per second at which the scratch file is written or read.  0: there is no file.
  double file_rate = 0;
};

/// What makes a share's factor a part of a whole factor (symbolic::FactorPart).
struct SharePart {
  std::vector<Index> imported, exported;   // DevicePlanOptions::imported and exported.
  std::vector<Index> level;                // DevicePlanOptions::level.
  std::vector<Index> waves;                // DevicePlanOptions::waves.
  std::vector<std::vector<Index>> joined;  // joined_small_classes() of the whole factor.
};

/// Memory layout of a share without X and the workspace of solves.  Lifetimes are counted in steps:
/// steps 0 to G - 1 are the factorizations of the G groups of fronts, and step G is a solve.
struct ShareLayout {
  MemoryPlan plan;  // All buffers, and the memory ranges in them.
  // Numbers in `plan` of two buffers.  `updates` is the buffer of update matrices; for a streamed
  // factor it is the arena.  `room` is the buffer for X and the workspace of solves.
  Index updates = kNone, room = kNone;
  MemoryPlan::Place inverses;  // Inverted diagonal blocks of all slabs that stay on the device.
  MemoryPlan::Place ring;      // Ring, in which slabs from host memory or the file take turns.
  // Memory for a dropped slab that a solve factors again: `dropped` for the panels and inverted
  // diagonal blocks, `scratch` for the update matrices.
  MemoryPlan::Place dropped, scratch;
};

/// Memory layout of a share with X and the workspace for one number of right-hand sides.
struct SolveLayout {
  MemoryPlan plan;  // ShareLayout::plan, with the memory of solves added.
  // Memory ranges of X, n x nrhs, and of the DeviceSolve::workspace_entries(nrhs) entries of the
  // workspace.
  MemoryPlan::Place x, workspace;
};

/// Kernels, lists and memory layout of a share.  Lists are in host memory until the device's memory
/// is allocated by DeviceFactor::allocate() and DeviceSolve::allocate().
template <class T>
struct SharePlan {
  std::unique_ptr<DeviceFactor<T>> factor;
  std::unique_ptr<DeviceSolve<T>> solve;
  std::unique_ptr<HostSolve<T>> host;  // Solves by the CPU; null: the device solves with all slabs.
  // Offset of each slab's inverted diagonal blocks in memory.inverses, in entries; 0 for slabs that
  // do not stay on the device.  The last element is the number of entries of memory.inverses.
  // Length: number of slabs + 1.
  std::vector<Offset> inverses;
  ShareLayout memory;
  Index columns = 1;  // Greatest number of right-hand sides of one solve.

  /// Bytes of host memory for panels, update matrices and slots of the file.
  Offset host_bytes() const { return memory.plan.bytes(Tier::kHost); }
  /// Bytes of panels in the scratch file.
  Offset file_bytes() const { return memory.plan.bytes(Tier::kFile); }
  /// First slab that stays on the device between solves.  All later slabs stay, too.
  Index first_resident() const {
    const auto& stream = factor->plan().stream;
    return stream ? stream->first_resident : 0;
  }
  Index num_slabs() const { return static_cast<Index>(factor->plan().slabs.size()); }
};

/// Returns the rates of a device from the row "stream", "rates" of its tuning data.  The row is
/// used for double and single precision.  Each parameter that the row has sets one rate; each rate
/// without a parameter has its default value:
///
///   "gflops", "mb_per_s", "group_us", "column_ns"   flops_per_s, bytes_per_s, group_s, column_s
///   "thread_mb_per_s", "host_mb_per_s"              rates of one host thread and of all host
///                                                   threads; host_bytes_per_s is the smaller one
///                                                   of threads * thread_mb_per_s and host_mb_per_s
///
/// @param value_bytes  Bytes of an entry of the scalar type.
/// @param threads      Number of host threads that solve.
StreamRates stream_rates(const gpu::Tuning& tuning, Offset value_bytes, int threads);

/// Predicted memory, times and transfers of one mode: in core, or streamed with some amount of
/// device memory.
struct ModeEstimate {
  /// `is_streamed`: whether the factor is streamed.  `is_least`: whether the mode needs about the
  /// least possible device memory.
  bool is_streamed = false, is_least = false;
  /// `device`: bytes of device memory, for solves with one right-hand side.  `host`: bytes of host
  /// memory for panels, update matrices and slots of the file.
  Offset device = 0, host = 0;
  /// Bytes of panels in the scratch file.  A factorization writes these panels once; the forward
  /// solve and the backward solve each read them once.
  Offset file = 0;
  /// `factor_s`: seconds of a factorization.  `solve_s`: seconds of a solve, forward and backward,
  /// with one right-hand side.
  double factor_s = 0, solve_s = 0;
  /// `to_host` and `to_device`: bytes that a factorization transfers from the device to the host,
  /// and back.  `solve`: bytes of panels that a solve, forward and backward, transfers to the
  /// device.
  Offset to_host = 0, to_device = 0, solve = 0;
  Offset cpu_solve = 0;  ///< Bytes of panels that the CPU solves with, in host memory.
};

/// Makes plans for one matrix on one device.  T: double, float.
template <class T>
class SharePlanner {
 public:
  /// @param runtime, symbolic  Must outlive the planner.
  /// @param num_values         Number of stored entries of A's lower triangle.
  /// @param threads            Number of host threads that make plans, and that solve.
  /// @param part               Must outlive the planner.  Null: the factor is a whole one.
  SharePlanner(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
               Offset num_values, const ShareBudgets& budgets, int threads,
               const SharePart* part = nullptr)
      : runtime_(runtime),
        symbolic_(symbolic),
        num_values_(num_values),
        budgets_(budgets),
        threads_(threads),
        part_(part) {}

  /// Makes a plan within the budgets: builds kernels, makes lists in host memory, and lays out the
  /// memory.
  /// @param entries  Map from A's entries to panels.  The plan's factor refers to the map until
  ///                 DeviceFactor::allocate() returns.
  /// Throws OutOfMemory when a budget is too small, or a buffer would be larger than
  /// ShareBudgets::buffer; BuildError.
  SharePlan<T> make(const symbolic::EntryMap& entries, const DeviceKernelParams& params) const;

  /// Predicts several modes: in core; streamed within a half, a quarter and an eighth of the device
  /// memory of the in-core mode, where that is enough; and streamed within about the least device
  /// memory.  ShareBudgets::device has no influence.  Throws BuildError.
  std::vector<ModeEstimate> modes(const symbolic::EntryMap& entries,
                                  const DeviceKernelParams& params) const;

  /// Where the inverted diagonal blocks of slabs that stay on the device are:
  ///   kAsIsBest    in the one of the two buffers below that leads to less device memory
  ///   kApart       in a buffer of their own
  ///   kInUpdates   in the buffer of update matrices, where they overwrite update matrices
  enum class Inverses : unsigned char { kAsIsBest, kApart, kInUpdates };
  /// Lays out the memory of a plan again: overwrites plan.memory and plan.inverses.
  /// @param updates_there  Bytes of the buffer of update matrices, if it is allocated already; the
  ///                       layout does not make this buffer smaller.  0: it is not allocated.
  void place(SharePlan<T>& plan, Inverses inverses = Inverses::kAsIsBest,
             Offset updates_there = 0) const;

  /// Returns the plan's memory layout with X and the workspace for nrhs right-hand sides.
  SolveLayout with_solve(const SharePlan<T>& plan, Index nrhs) const {
    return with_solve(plan, plan.memory, nrhs);
  }
  /// Returns the bytes of device memory of a factorization and a solve with nrhs right-hand sides.
  Offset bytes(const SharePlan<T>& plan, Index nrhs) const {
    return bytes(plan, plan.memory, nrhs);
  }

  const ShareBudgets& budgets() const { return budgets_; }
  Offset num_values() const { return num_values_; }
  int threads() const { return threads_; }

 private:
  /// What an earlier plan tells about plans for other modes.
  struct Others {
    // Bytes of device memory besides panels and update matrices, with one right-hand side, about.
    Offset bytes = 0;
    Offset block = 0;         // Additional bytes with kUsualColumns right-hand sides.
    Offset host = 0;          // Bytes of host memory for solves by the CPU.
    Offset panels = 0;        // Entries of all panels.
    bool by_tickets = false;  // DeviceSolve::is_by_tickets().
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
  /// What lay_out() puts into the buffer of update matrices for solves.
  struct Kept {
    // Whether the inverted diagonal blocks are in this buffer; otherwise in a buffer of their own.
    bool in_updates = false;
    Offset updates_there = 0;  // Bytes that the buffer already has; 0: it is not allocated.
    // Entries of the ring, and entries of ShareLayout::dropped.
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
  const SharePart* part_;  // Null for a whole factor.
};

}  // namespace clchol::numeric
