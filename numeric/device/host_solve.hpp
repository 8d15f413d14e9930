// Lets the CPU solve with some slabs of panels of a streamed factor, while the device solves with
// the other slabs.
//
// The CPU reads a panel from host memory in less time than a transfer to the device takes, and it
// reads while other slabs are transferred.  The plan therefore leaves its first slabs in host
// memory, to the CPU (StreamPlan::first_on_device).  They hold whole subtrees of fronts, so that
// the CPU and the device exchange only rows of X, the n x nrhs matrix of right-hand sides:
//
//   own rows      pivot columns of the fronts that the CPU solves with
//   above rows    pivot columns of the ancestors of these fronts
//
//   forward     own and above rows to the host;  the CPU solves its own rows and adds its sums to
//               the above rows;  own and above rows to the device
//   backward    own and above rows to the host;  the CPU solves its own rows;
//               own rows to the device
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu_kernels/runtime/pinned_pages.hpp"
#include "gpu_kernels/runtime/queue.hpp"
#include "numeric/device/host_rows.hpp"
#include "numeric/device/plan.hpp"
#include "numeric/part_solve.hpp"

namespace clchol::numeric {

/// Solves by the CPU with one streamed factor: host memory for X, and the transfers of rows of X.
/// Not thread-safe.  begin() and the next forward() or backward() must get one and the same
/// in-order queue.  T: double, float.
template <class T>
class HostSolve {
 public:
  /// Prepares solves with all slabs that the plan leaves to the CPU.
  /// @param symbolic  Must outlive this object.
  /// @param plan      Plan of a streamed factor that leaves at least one slab to the CPU.
  /// @param threads   Number of host threads that solve.
  HostSolve(const symbolic::SymbolicFactor& symbolic, const DevicePlan& plan, int threads);

  /// Returns the bytes of host memory that reserve(nrhs) allocates.  Panels are not included.
  Offset bytes(Index nrhs) const;

  /// Allocates host memory for solves with nrhs right-hand sides.  Waits for earlier transfers.
  /// @param queue  A queue of the context that pins (page-locks) the memory.
  /// Throws std::bad_alloc, DeviceError.
  void reserve(gpu::Queue& queue, Index nrhs);

  /// Sets the panels that all following solves read.
  /// @param slabs  Address in host memory of each slab of the plan, with kPanelSlack entries that
  ///               may be read behind the slab; null for slabs that the device solves with.
  void set_panels(std::vector<T*> slabs);
  /// Marks the panels as void: set_panels() must be called before the next solve.
  void forget_panels() { has_panels_ = false; }
  bool has_panels() const { return has_panels_; }

  /// Enqueues the download of the own and above rows of X.  Afterwards the caller may enqueue
  /// commands that write other rows of X, before it calls forward() or backward().
  /// @param x  X on the device, n x nrhs, row-major, with the nrhs of the last call of reserve().
  /// Throws DeviceError.
  void begin(gpu::Queue& queue, gpu::DeviceView<const T> x);
  /// Wait for the download that begin() enqueued, solve with the CPU's slabs, X := L^-1 X (forward)
  /// or X := L^-T X (backward), and enqueue the upload of the rows of X that the CPU has written.
  /// @param x  The same X as for begin().
  /// Throw DeviceError.
  void forward(gpu::Queue& queue, gpu::DeviceView<T> x);
  void backward(gpu::Queue& queue, gpu::DeviceView<T> x);

 private:
  /// A range of consecutive rows of X that the CPU and the device exchange.
  struct Exchanged {
    RowRange rows;     // Rows of X.
    Offset begin = 0;  // Row of rows_ at which the range begins.
  };
  Offset rows_in_all() const;
  std::span<T> values_of(const Exchanged& range) const;
  template <class Move>
  void for_rows(const Exchanged& range, const Move& move) const;
  void take(const std::vector<Exchanged>& ranges) const;
  void take_rows(gpu::Queue& queue);
  void send(gpu::Queue& queue, const std::vector<Exchanged>& ranges, gpu::DeviceView<T> x) const;

  Index n_;
  int threads_;
  std::unique_ptr<PartSolve<T>> part_;
  bool has_panels_ = false;
  std::vector<Exchanged> own_, above_;  // Ranges of the own rows and of the above rows.
  Index nrhs_ = 0;
  RowsView<T> x_;                 // X in host memory, which part_ owns.
  gpu::PinnedPages<T> rows_;      // All own rows, then all above rows; row-major, nrhs_ columns.
  gpu::Event came_;               // Event of the last download that begin() enqueued.
  gpu::BorrowedQueue transfers_;  // Queue that transfers rows_; null: no queue does.
};

}  // namespace clchol::numeric
