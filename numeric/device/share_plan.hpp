// What a device's share takes of memory, and where everything lies, before anything is allocated.
//
// A plan is made within budgets: all fronts at once where memory allows it, in groups depth first
// where it does not (groups.hpp), with panels that are streamed through host memory where even that
// is too much (panel_store.hpp).  Prediction and allocation read the same layout.
#pragma once

#include <memory>
#include <vector>

#include "numeric/device/factor.hpp"
#include "numeric/device/panel_store.hpp"
#include "numeric/device/solve.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {

/// Right-hand sides of a block for which memory is laid out.
inline constexpr Index kUsualColumns = 16;

/// Budgets of memory, in bytes.
struct ShareBudgets {
  Offset device = 0;  ///< That the share may take of the device.
  Offset buffer = 0;  ///< That one of its buffers may have.
  Offset host = 0;    ///< That panels may take of the host.
  Offset spare = 0;   ///< Of the device, that a streamed factor leaves to its caller, if it can.
  bool device_is_given = false, host_is_given = false;  ///< By the caller; else all that is there.
};

/// Memory of everything but solves: steps 0 to G - 1 are the groups of fronts, step G is a solve.
struct ShareLayout {
  MemoryPlan plan;
  Index updates = kNone, room = kNone;  // Buffers: of update matrices, and of solves.
  MemoryPlan::Place inverses;
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
  PanelPlaces panels;
  // Where the inverted blocks of each place of panels begin, among all of them; and the end.
  std::vector<Offset> inverses;
  ShareLayout memory;
  Index columns = 1;  // Right-hand sides that a solve may take at once.

  Offset host_bytes() const { return memory.plan.bytes(Tier::kHost); }
};

/// Makes plans for one matrix on one device.  T: double, float.
template <class T>
class SharePlanner {
 public:
  /// The runtime and the symbolic factor outlive the planner.
  /// @param num_values  of A's lower triangle.
  SharePlanner(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
               Offset num_values, const ShareBudgets& budgets, int threads)
      : runtime_(runtime),
        symbolic_(symbolic),
        num_values_(num_values),
        budgets_(budgets),
        threads_(threads) {}

  /// A plan within the budgets.  Builds kernels and makes lists.
  /// Throws OutOfMemory when the budgets do not do, or a buffer would be larger than the device
  /// allows; BuildError.
  SharePlan<T> make(const symbolic::EntryMap& entries, const DeviceKernelParams& params) const;

  /// Lays the memory of a plan out anew, whose slabs from first_resident on stay on the device.
  /// @param updates_there  bytes that the buffer of update matrices has already.
  enum class Inverses : unsigned char { kAsIsBest, kApart, kInUpdates };
  void place(Index first_resident, SharePlan<T>& plan, Inverses inverses = Inverses::kAsIsBest,
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
  /// What a plan takes beside updates and panels: bytes; and panels: values.
  struct Others {
    Offset bytes, panels;
  };
  Others others_of(const SharePlan<T>& plan) const;
  SharePlan<T> make_less(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                         const Others& others) const;
  SharePlan<T> make_groups(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                           const GroupLimits& limits) const;
  bool move_slabs(Index columns, Offset spare, SharePlan<T>& plan) const;
  void check(const SharePlan<T>& plan) const;
  Index choose_columns(const SharePlan<T>& plan) const;
  ShareLayout lay_out(const SharePlan<T>& plan, bool in_updates, Offset updates_there) const;
  SolveLayout with_solve(const SharePlan<T>& plan, const ShareLayout& memory, Index nrhs) const;
  Offset bytes(const SharePlan<T>& plan, const ShareLayout& memory, Index nrhs) const {
    return with_solve(plan, memory, nrhs).plan.bytes(Tier::kDevice);
  }

  gpu::DeviceRuntime& runtime_;
  const symbolic::SymbolicFactor& symbolic_;
  Offset num_values_;
  ShareBudgets budgets_;
  int threads_;
};

}  // namespace clchol::numeric
