// A device's share: the object that factors some or all fronts of a matrix on one device, and
// solves with these fronts.  A plan (share_plan.hpp) fixes all sizes and offsets of memory before
// memory is allocated.
//
// The share enqueues its work in the queues of a DeviceRuntime.  Panels, update matrices and X (the
// matrix of right-hand sides and solutions) stay on the device, with these exceptions:
//
//   for a streamed factor      panels and update matrices that the plan sends to host memory or to
//                              a file; rows of X, if the CPU solves with slabs in host memory
//   for a part of a factor     update matrices and vectors that are handed over between shares
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numeric/device/share_plan.hpp"
#include "numeric/device/solve_exchange.hpp"

namespace clchol::numeric {

/// Budgets of memory and host threads of a share.
struct DeviceShareOptions {
  /// Number of host threads that make lists, initialize host memory, and solve with slabs in host
  /// memory.
  int threads = 1;
  /// Bytes of device memory that the share may use.  0: 19/20 of the device's memory.
  Offset memory = 0;
  /// Greatest number of bytes of one device buffer.  0: the device's own limit.
  Offset largest = 0;
  /// Bytes of host memory that a streamed factor may use, for its panels, its update matrices and
  /// the solves by the CPU.  0: nine tenths of the host memory that is available.
  Offset host_memory = 0;
  /// Scratch file for slabs that host memory has no room for.  If ScratchPlace::directory is empty,
  /// there is no scratch file.
  ScratchPlace scratch = {};
  StreamParams stream = {};  ///< Parameters of a streamed factor.
};

/// How a share was made, and how long that took.
struct DeviceShareSetup {
  bool has_tensor_kernels = false;  ///< Whether tensor cores factor the large fronts.
  /// Whether solves use the kernels by tickets; otherwise the kernels by waves (solve.hpp).
  bool solves_by_tickets = false;
  /// Why plain OpenCL kernels factor the large fronts.  Empty: tensor cores do.
  std::string kernels_reason;
  double plan_s = 0;        ///< Seconds to build kernels and to make lists on the host.
  double upload_s = 0;      ///< Seconds to allocate device buffers and to upload lists.
  double pin_s = 0;         ///< Seconds to allocate the pinned host buffers of transfers.
  Index solve_columns = 0;  ///< Greatest number of right-hand sides of one solve.
  /// Why the host memory of a streamed factor is not pinned.  Empty: the host memory is pinned, or
  /// there is none.
  std::string unpinned_reason;
  /// Predicted seconds of a factorization, and of a solve with one right-hand side.  0: the factor
  /// is not streamed.
  double streamed_factor_s = 0, streamed_solve_s = 0;
};

/// Waits until all commands that were enqueued in the queue have ended, or until the flag
/// control.cancel is true.  If control.cancel is null, returns true at once, without waiting.
/// Throws DeviceError.
/// @return false when the flag is true (commands may then still run), otherwise true.
bool finished_unless_cancelled(gpu::Queue& queue, const Control& control);

/// The factor of some or all fronts of a matrix on one device.  Not thread-safe.  All kernels go to
/// the runtime's in-order queue, transfers also to its copy queues.  T: double, float.
template <class T>
class DeviceShare {
 public:
  /// Builds kernels and makes lists on the host.  When a kernel with inline PTX (NVIDIA's assembly
  /// language) does not build, all kernels are built again in plain OpenCL.
  /// @param runtime, symbolic, entries  Must outlive the share.
  /// @param part  If `symbolic` is a part of a whole factor: the part's connections to other parts.
  ///              nullopt: `symbolic` is a whole factor.
  /// Throws OutOfMemory when a budget is too small, or a buffer would be larger than the device
  /// allows; BuildError.
  DeviceShare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
              const symbolic::EntryMap& entries, const DeviceShareOptions& options,
              std::optional<SharePart> part = {});

  /// Predicts memory and times of several modes of computing a whole factor, in core and streamed:
  /// SharePlanner::modes() (share_plan.hpp) lists the modes.  options.memory has no influence.
  /// Throws BuildError.
  static std::vector<ModeEstimate> modes(gpu::DeviceRuntime& runtime,
                                         const symbolic::SymbolicFactor& symbolic,
                                         const symbolic::EntryMap& entries,
                                         const DeviceShareOptions& options);

  /// Allocates the memory of factorizations and uploads all lists.  Must be called once, before
  /// connect(), factorize(), reserve(), panels() and the functions that return results in host
  /// memory.  The functions that predict bytes may be called before allocate().  Blocking.  Throws
  /// DeviceError; FileError when the scratch file cannot be made.
  void allocate();

  /// Gives the share of a part the hand-overs to and from other shares.  Must be called once for a
  /// part, after allocate() and before factorize().  Must not be called for a whole factor.
  /// @param updates  Hand-overs of update matrices, for factorizations.
  /// @param vectors  Hand-overs of vectors, for solves.
  void connect(std::unique_ptr<ShareExchange<T>> updates,
               std::unique_ptr<SolveExchange<T>> vectors);

  /// Enqueues the factorization, and then the inversion of the diagonal blocks that solves need.
  /// If a streamed factorization is cancelled, or one of its pivots fails, the call enqueues no
  /// more groups and no inversion; commands that were enqueued before that run to their end.  For a
  /// part, the call blocks until other shares have sent the imported update matrices.
  /// @param values   Values of A's lower triangle, on the device, in the order of the analysed
  ///                 pattern.  If keeps_values() is true, the caller must not change the values as
  ///                 long as the factor is used.
  /// @param control  Not used unless the factor is streamed.
  /// @return FactorOutcome::kEnqueued when all groups and the inversion were enqueued; otherwise
  ///         the reason why not (stream/watch.hpp).
  /// Throws DeviceError; for a streamed factor OutOfMemory when the host cannot allocate memory,
  /// and FileError when there is a scratch file; for a part the exceptions of HandOver::receive().
  FactorOutcome factorize(gpu::DeviceView<const T> values, const Control& control = {});
  /// Returns whether solves read the values of A.  Solves read them if the plan drops some slabs of
  /// panels, because each solve factors the dropped slabs again.
  bool keeps_values() const;
  /// Returns a device buffer of num_values() entries in which the caller may put the values of A.
  /// The first call allocates the buffer.  Throws DeviceError.
  gpu::DeviceView<T> values();

  /// Allocates memory and builds kernels for solves with nrhs right-hand sides.  When the kernels
  /// by tickets do not build, this solve and all later solves use the kernels by waves (solve.hpp).
  /// @param nrhs  Number of right-hand sides.  Must be at most columns().
  /// @return X, to which the caller writes the right-hand sides: n x nrhs, row-major, with rows in
  ///         the symbolic factor's order.
  /// Throws DeviceError; OutOfMemory when the kernels by waves are used instead and need more
  /// memory than the budget allows; std::bad_alloc if the CPU solves with some slabs.
  gpu::DeviceView<T> reserve(Index nrhs);
  /// forward() enqueues X := L^-1 X, and backward() enqueues X := L^-T X.  If the CPU solves with
  /// some slabs (host_solve.hpp), a call returns after the CPU has solved.  For a part, a call
  /// blocks until other shares have sent their vectors.  After a cancel, the call skips all slabs
  /// that it has not processed yet, and X is undefined.
  /// @param x     X as reserve(nrhs) returned it.
  /// @param nrhs  Number of right-hand sides in the last call of reserve().
  /// Both throw DeviceError; for a streamed factor OutOfMemory when the host cannot allocate
  /// memory, and FileError when there is a scratch file; for a part the exceptions of
  /// HandOver::receive().
  void forward(gpu::DeviceView<T> x, Index nrhs, const Control& control = {});
  void backward(gpu::DeviceView<T> x, Index nrhs, const Control& control = {});

  /// Brings a slab to the device, if the slab is not there: uploads the slab, or factors the slab
  /// again if it was dropped.  Then calls use(range), where `range` has the slab's number, and the
  /// slab's panels and inverted diagonal blocks on the device (SolveRange, solve.hpp).  use() may
  /// enqueue commands that read the panels and the inverted blocks; both stay on the device until
  /// these commands have ended.  Precondition: a factorization was enqueued.
  /// @param slab  A slab that the device solves with.
  /// Throws DeviceError; for a streamed factor OutOfMemory when the host cannot allocate memory,
  /// and FileError when there is a scratch file.
  template <class Use>
  void with_range(Index slab, const Use& use);

  // ---- Results in host memory.  Each call is blocking, and throws the exceptions of with_range().

  /// Returns the diagonal of L, in the order of the symbolic factor.  Length n.  In a part, the
  /// elements of rows that are pivot columns of other parts are 0.
  std::vector<T> diagonal();
  /// Visits all panels of the factor that was passed to the constructor.  A panel that the device
  /// computes in several fronts is visited in several ranges of columns, ascending, with no other
  /// panel in between.
  void visit_panels(const VisitColumns<T>& visit);

  const DeviceFactor<T>& factor() const { return *plan_.factor; }
  PanelStore<T>& panels() { return *panels_; }
  /// Returns whether solves use the kernels by tickets.  false: solves use the kernels by waves, or
  /// no solve kernels could be built.
  bool solves_by_tickets() const { return plan_.solve && plan_.solve->is_by_tickets(); }
  const DeviceShareSetup& setup() const { return setup_; }
  DeviceShareSetup& setup() { return setup_; }
  /// Number of stored entries of A's lower triangle.
  Offset num_values() const { return planner_.num_values(); }

  /// Predicted bytes of device memory of a factorization and a solve with one right-hand side,
  /// including the values of A.
  Offset bytes() const { return bytes_; }
  /// Predicted bytes of host memory for panels and update matrices that do not stay on the device,
  /// and for the slots through which panels go to the scratch file.
  Offset host_bytes() const { return plan_.host_bytes(); }
  /// Predicted bytes of panels in the scratch file; 0: no panel is in a file.
  Offset file_bytes() const { return plan_.file_bytes(); }
  /// Bytes of the device's budget that remain free in solves with columns() right-hand sides.
  /// Throws DeviceError when no solve kernels could be built.
  Offset bytes_left() const {
    solve();
    return planner_.budgets().device - planner_.bytes(plan_, plan_.columns);
  }
  /// Greatest number of right-hand sides of one solve.
  Index columns() const { return plan_.columns; }

 private:
  /// Device buffers of the share:
  ///   updates    update matrices; for a streamed factor, the whole arena
  ///   inverses   inverted diagonal blocks; empty if the blocks are in `updates`
  ///   values     values of A; empty until values() is called
  ///   solves     X and the workspace of solves, if `updates` has no room for both
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
  std::vector<T> read_panels(Index slab);
  PanelColumns<T> columns_of(Index front, const T* panels) const;
  void begin_on_host(gpu::DeviceView<const T> x);
  template <class Enqueue, class Solve>
  void solve_beside(const Enqueue& enqueue, const Solve& solve, gpu::DeviceView<T> x);
  void record_factorization();
  void record_solve(const MemoryPlan& plan, bool is_new);
  void record_device_bytes(MemoryChange change);
  Offset bytes_in_use(Offset updates) const;
  void solve_by_waves();
  void make_waves();

  gpu::DeviceRuntime& runtime_;
  const symbolic::SymbolicFactor& symbolic_;
  std::unique_ptr<const SharePart> part_;  // Null: the factor is a whole one.
  SharePlanner<T> planner_;
  ScratchPlace scratch_;
  StreamParams stream_params_;
  DeviceShareSetup setup_;
  SharePlan<T> plan_;
  Offset bytes_ = 0;  // Predicted bytes of device memory: bytes().
  Buffers buffers_;
  std::optional<PanelStore<T>> panels_;
  std::unique_ptr<ShareExchange<T>> exchange_;  // Hand-overs of factorizations, from connect().
  std::unique_ptr<SolveExchange<T>> vectors_;   // Hand-overs of solves, from connect().
  gpu::DeviceView<const T> factored_;           // Values of A that were factored last.
  Index laid_out_columns_ = 0;  // Right-hand sides for which layout_ is valid; 0: none.
  SolveLayout layout_;          // Memory layout for laid_out_columns_ right-hand sides.
  // Bytes of device memory in use, without the ring, that were recorded last (share_log.cpp).
  Offset recorded_bytes_ = 0;
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
