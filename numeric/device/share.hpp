// A device's share of a factorization: the numeric phase and the solves of its fronts.  A plan
// (share_plan.hpp) fixes beforehand how much memory the share needs.
//
// All work is enqueued.  Only slabs of panels that do not stay on the device go to the host, and
// rows of X where the CPU solves with such slabs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numeric/device/share_plan.hpp"
#include "numeric/device/solve_exchange.hpp"

namespace clchol::numeric {

struct DeviceShareOptions {
  int threads = 1;  ///< Host threads that make lists.
  /// Bytes of device memory that the share may use.  0: 19/20 of the device's memory.
  Offset memory = 0;
  Offset largest = 0;  ///< Bytes of one buffer at most.  0: the device's own limit.
  /// Bytes of host memory that panels may take.  0: nine tenths of the free host memory.
  Offset host_memory = 0;
  /// File for slabs that host memory has no room for.  Without a directory there is no file.
  ScratchPlace scratch = {};
};

/// How a share was made, and how long that took.
struct DeviceShareSetup {
  bool has_tensor_kernels = false;  ///< Whether tensor cores factor the large fronts.
  bool solves_by_tickets = false;   ///< Whether solves go by tickets; otherwise by waves.
  std::string kernels_reason;       ///< Why kernels are plain; empty: they are not.
  double plan_s = 0;                ///< Seconds to build kernels and to make lists on the host.
  double upload_s = 0;              ///< Seconds to allocate buffers and to upload lists.
  double pin_s = 0;                 ///< Seconds to allocate the pinned buffers of transfers.
  Index solve_columns = 0;          ///< DeviceShare::columns().
  std::string unpinned_reason;      ///< Why the host memory of panels is not pinned; empty: it is.
  // Predicted seconds of a factorization and of a solve, if the factor is streamed.
  double streamed_factor_s = 0, streamed_solve_s = 0;
};

/// Waits until all enqueued commands have ended.  Throws DeviceError.
/// @return false: the work was cancelled before.
bool finished_unless_cancelled(gpu::Queue& queue, const Control& control);

/// For one thread at a time.  T: double, float.
template <class T>
class DeviceShare {
 public:
  /// Builds kernels and makes lists on the host.  The runtime, the symbolic factor and `entries`
  /// must outlive the share.  Where a kernel with the device's own instructions does not build, all
  /// kernels are plain.  Throws OutOfMemory when the budgets are too small, or a buffer would be
  /// larger than the device allows; BuildError.
  /// @param part  What makes the factor a part of a whole one; none: the factor is a whole one.
  DeviceShare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
              const symbolic::EntryMap& entries, const DeviceShareOptions& options,
              std::optional<SharePart> part = {});

  /// Predicts several modes of this factor, for any device memory: SharePlanner::modes().
  /// Throws BuildError.
  static std::vector<ModeEstimate> modes(gpu::DeviceRuntime& runtime,
                                         const symbolic::SymbolicFactor& symbolic,
                                         const symbolic::EntryMap& entries,
                                         const DeviceShareOptions& options);

  /// Allocates memory and uploads lists.  Must be called once, before any function below.
  /// Blocking.  Throws DeviceError.
  void allocate();

  /// Gives a part its hand-overs from and to other shares, for the plan's imported and exported
  /// update matrices.  Called once, after allocate().  Throws BuildError.
  /// @param updates  Hand-overs of update matrices, for factorizations.
  /// @param vectors  Hand-overs of vectors, for solves.
  void connect(std::unique_ptr<ShareExchange<T>> updates,
               std::unique_ptr<SolveExchange<T>> vectors);

  /// Enqueues the factorization and the inversion of diagonal blocks for solves.  Ends early as
  /// DeviceFactor::factorize() does.  Throws DeviceError.
  /// @param values  Values of the matrix' lower triangle, on the device, in the order of the
  ///                analysed pattern.  If keeps_values(), they must not change as long as the
  ///                factor is used.
  FactorOutcome factorize(gpu::DeviceView<const T> values, const Control& control = {});
  /// Whether solves read the values that were factored, because some slabs are factored again.
  bool keeps_values() const;
  /// A buffer for the values of A, which the first call allocates.  Throws DeviceError.
  gpu::DeviceView<T> values();

  /// Allocates memory for a solve with nrhs right-hand sides, columns() at most.
  /// Throws DeviceError; OutOfMemory when kernels do not build and their substitutes need more
  /// memory than the budget has left.
  /// @return X, row-major, in the factor's order.
  gpu::DeviceView<T> reserve(Index nrhs);
  /// Enqueue x := L^-1 x and x := L^-T x.  Where the CPU solves with some slabs, it is done with
  /// them when the call returns.  For a part, the call waits for other shares.  A cancelled call
  /// ends at the next slab, and x is void.
  /// @param x  X as reserve() returned it.
  /// Throws DeviceError, and the exceptions of HandOver::receive().
  void forward(gpu::DeviceView<T> x, Index nrhs, const Control& control = {});
  void backward(gpu::DeviceView<T> x, Index nrhs, const Control& control = {});

  /// Calls use(range), which may enqueue commands that read the panels and the inverted diagonal
  /// blocks of a slab.  The slab is on the device until these commands have ended.  Only after a
  /// factorization, and not for slabs that are left to the CPU.  Throws DeviceError.
  template <class Use>
  void with_range(Index slab, const Use& use);

  // ---- Results in host memory.  Each call is blocking and throws DeviceError.

  /// Diagonal of L, in the order of the symbolic factor.  Zeros in a part's border.  Length n.
  std::vector<T> diagonal();
  /// All entries of a slab.
  std::vector<T> read_panels(Index slab);

  const DeviceFactor<T>& factor() const { return *plan_.factor; }
  PanelStore<T>& panels() { return *panels_; }
  /// DeviceSolve::is_by_tickets(); false when no solve kernels could be built.
  bool solves_by_tickets() const { return plan_.solve && plan_.solve->is_by_tickets(); }
  const DeviceShareSetup& setup() const { return setup_; }
  DeviceShareSetup& setup() { return setup_; }
  Offset num_values() const { return planner_.num_values(); }

  /// Predicted bytes of device memory of a factorization and a solve with one right-hand side, the
  /// values of A included.
  Offset bytes() const { return bytes_; }
  /// Predicted bytes of host memory for panels and update matrices that do not stay on the device.
  Offset host_bytes() const { return plan_.host_bytes(); }
  /// Predicted bytes of panels in the scratch file.
  Offset file_bytes() const { return plan_.file_bytes(); }
  /// Bytes of the device's budget that solves with columns() right-hand sides leave.  Throws
  /// DeviceError when no solve kernels could be built.
  Offset bytes_left() const {
    solve();
    return planner_.budgets().device - planner_.bytes(plan_, plan_.columns);
  }
  /// Right-hand sides that a solve takes at once, at most.
  Index columns() const { return plan_.columns; }

 private:
  /// Device buffers: update matrices (or the arena), inverted diagonal blocks, values of A, X and
  /// workspace of solves.
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
  std::unique_ptr<const SharePart> part_;  // Null: the factor is a whole one.
  SharePlanner<T> planner_;
  ScratchPlace scratch_;
  DeviceShareSetup setup_;
  SharePlan<T> plan_;
  Offset bytes_ = 0;  // Bytes of device memory, solves with one right-hand side included.
  Buffers buffers_;
  std::optional<PanelStore<T>> panels_;
  std::unique_ptr<ShareExchange<T>> exchange_;  // Null until connect().
  std::unique_ptr<SolveExchange<T>> vectors_;   // Null until connect().
  gpu::DeviceView<const T> factored_;           // Values of A that were factored last.
  Index laid_out_columns_ = 0;  // Right-hand sides that layout_ is for; 0: there is none.
  SolveLayout layout_;          // Memory layout for laid_out_columns_ right-hand sides.
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
