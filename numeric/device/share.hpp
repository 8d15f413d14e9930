// A device's share of a factorization: the numeric phase and solves of its fronts, by a plan
// (share_plan.hpp) that says what it takes of memory.  Everything is enqueued; nothing goes to the
// host but slabs of panels that do not stay, and rows of X where the CPU solves with such slabs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numeric/device/share_plan.hpp"
#include "numeric/device/solve_exchange.hpp"

namespace clchol::numeric {

struct DeviceShareOptions {
  int threads = 1;     ///< Of the host, that make lists.
  Offset memory = 0;   ///< Bytes of the device's memory that may be used; 0: 19/20 of it all.
  Offset largest = 0;  ///< Bytes of a buffer at most; 0: what the device allows.
  /// Bytes of host memory that panels may take; 0: nine tenths of what is free.
  Offset host_memory = 0;
  /// The file of panels that host memory has no room for; without a directory there is none.
  ScratchPlace scratch = {};
};

/// How a share was made.
struct DeviceShareSetup {
  bool has_tensor_kernels = false;  ///< Whether tensor cores factor the fronts.
  bool solves_by_tickets = false;   ///< Whether solves go by tickets, not by waves.
  std::string kernels_reason;       ///< Why they are plain, if they are.
  double plan_s = 0;                ///< Kernels, and lists on the host.
  double upload_s = 0;              ///< Buffers, and lists into them.
  double pin_s = 0;                 ///< Pinned buffers of transfers.
  Index solve_columns = 0;          ///< DeviceShare::columns().
  std::string unpinned_reason;      ///< Why the host memory of panels is not pinned, if it is not.
  // Of a factor that is streamed, by its plan: seconds.
  double streamed_factor_s = 0, streamed_solve_s = 0;
};

/// Waits for all that is enqueued; false when it is cancelled before.  Throws DeviceError.
bool finished_unless_cancelled(gpu::Queue& queue, const Control& control);

/// For one thread at a time.  T: double, float.
template <class T>
class DeviceShare {
 public:
  /// Builds kernels and makes lists, on the host.  The runtime, the symbolic factor and `entries`
  /// outlive the share.  Where a kernel for the device's own instructions does not build, all are
  /// plain.  Throws OutOfMemory when the budgets do not do, or a buffer would be larger than the
  /// device allows; BuildError.
  /// @param part  none: the factor is a whole one.
  DeviceShare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
              const symbolic::EntryMap& entries, const DeviceShareOptions& options,
              std::optional<SharePart> part = {});

  /// What the ways to make such a factor would take, whatever the budgets are.  Throws BuildError.
  static std::vector<ModeEstimate> modes(gpu::DeviceRuntime& runtime,
                                         const symbolic::SymbolicFactor& symbolic,
                                         const symbolic::EntryMap& entries,
                                         const DeviceShareOptions& options);

  /// Allocates and uploads: once, before what follows.  Blocking.  Throws DeviceError.
  void allocate();

  /// Gives a part its ways to other shares, by the plan's imported and exported updates: of update
  /// matrices, and of vectors of solves.  Once, after allocate().  Throws BuildError.
  void connect(std::unique_ptr<ShareExchange<T>> updates,
               std::unique_ptr<SolveExchange<T>> vectors);

  /// Enqueues the factorization of the matrix whose lower triangle has `values` on the device, in
  /// the order of the analysed pattern, and what solves want of it; they stay as long as the factor
  /// where keeps_values().  Ends early as
  /// DeviceFactor::factorize() does.  Throws DeviceError.
  FactorOutcome factorize(gpu::DeviceView<const T> values, const Control& control = {});
  /// Whether solves read the values that were factored: some panels are made again.
  bool keeps_values() const;
  /// Room for the values of A.  Taken when it is first asked for.  Throws DeviceError.
  gpu::DeviceView<T> values();

  /// Makes room for a solve with up to columns() right-hand sides.  Throws DeviceError, OutOfMemory
  /// where kernels do not build whose substitutes need more than the budget has left.
  /// @return X, row-major, in the factor's order.
  gpu::DeviceView<T> reserve(Index nrhs);
  /// Enqueues x := L^-1 x and x := L^-T x, x as reserve() returned it.  Where the CPU solves with
  /// some slabs, it has done so when the call returns.  Of a part: the call waits for other shares.
  /// Cancelled, it ends at the next slab, and x is void.
  /// Throws DeviceError, and what hand-overs throw.
  void forward(gpu::DeviceView<T> x, Index nrhs, const Control& control = {});
  void backward(gpu::DeviceView<T> x, Index nrhs, const Control& control = {});

  /// Enqueues what use(range) does with the panels of a slab at hand, and their diagonal blocks
  /// inverted; after a factorization.  Not for slabs that are left to the CPU.  Throws DeviceError.
  template <class Use>
  void with_range(Index slab, const Use& use);

  // ---- On the host; blocking.  Each throws DeviceError.

  /// Diagonal of L, in the order of the symbolic factor; zeros in a part's border.
  std::vector<T> diagonal();
  /// The panels of a slab.
  std::vector<T> read_panels(Index slab);

  const DeviceFactor<T>& factor() const { return *plan_.factor; }
  PanelStore<T>& panels() { return *panels_; }
  /// DeviceSolve::order(), or "" after kernels did not build.
  bool solves_by_tickets() const { return plan_.solve && plan_.solve->is_by_tickets(); }
  const DeviceShareSetup& setup() const { return setup_; }
  DeviceShareSetup& setup() { return setup_; }
  Offset num_values() const { return planner_.num_values(); }

  /// What a factorization and a solve with one right-hand side take of the device's memory, values
  /// of A included: predicted.
  Offset bytes() const { return bytes_; }
  /// What panels take of the host's memory: 0 where all stay on the device.
  Offset host_bytes() const { return plan_.host_bytes(); }
  /// Bytes of panels in the scratch file.
  Offset file_bytes() const { return plan_.file_bytes(); }
  /// Bytes of the budget that are left with columns() right-hand sides.  Throws DeviceError where
  /// there are no solves.
  Offset bytes_left() const {
    solve();
    return planner_.budgets().device - planner_.bytes(plan_, plan_.columns);
  }
  /// Right-hand sides that a solve may take at once.
  Index columns() const { return plan_.columns; }

 private:
  /// The plan's.
  struct Buffers {
    gpu::DeviceBuffer<T> updates, inverses, values, solves;
  };

  void make(const symbolic::EntryMap& entries);
  gpu::DeviceView<T> view(const MemoryPlan::Place& place);
  void set_ring();
  void invert_resident();
  SolveRange<T> range_of(const PanelLease<T>& lease);
  DeviceSolve<T>& solve() const;
  void make_room(Index nrhs);
  typename SolveExchange<T>::Half half(gpu::DeviceView<T> x, Index nrhs);
  std::vector<T> values_at(Index slab, std::span<const Offset> places);
  void begin_on_host(gpu::DeviceView<const T> x);
  void solve_by_waves();
  void make_waves();

  gpu::DeviceRuntime& runtime_;
  const symbolic::SymbolicFactor& symbolic_;
  std::unique_ptr<const SharePart> part_;  // Null: of a whole factor.
  SharePlanner<T> planner_;
  ScratchPlace scratch_;
  DeviceShareSetup setup_;
  SharePlan<T> plan_;
  Offset bytes_ = 0;  // Bytes of the device that the plan takes, with one right-hand side.
  Buffers buffers_;
  std::optional<PanelStore<T>> panels_;
  std::unique_ptr<ShareExchange<T>> exchange_;  // Null until connect().
  std::unique_ptr<SolveExchange<T>> vectors_;
  gpu::DeviceView<const T> factored_;  // The values of A that were factored last.
  Index laid_out_columns_ = 0;         // Right-hand sides that reserve() was last called for.
  SolveLayout layout_;                 // Memory with laid_out_columns_ right-hand sides.
};

template <class T>
template <class Use>
void DeviceShare<T>::with_range(Index slab, const Use& use) {
  gpu::Queue& queue = runtime_.queue();
  const PanelLease<T> lease = panels_->acquire(slab);
  try {
    queue.wait_for(lease.ready);
    if (lease.is_empty) {
      plan_.factor->factorize_again(queue, slab, factored_, lease.panels,
                                    view(plan_.memory.scratch));
    }
    const SolveRange<T> range = range_of(lease);
    if (lease.is_new) solve().invert_blocks(queue, range);
    use(range);
    panels_->release(lease, queue);
  } catch (...) {
    panels_->abandon(lease, queue);
    throw;
  }
}

}  // namespace clchol::numeric
