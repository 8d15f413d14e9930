// Solves by the CPU with slabs of a streamed factor that lie in host memory.
//
// The CPU reads a panel from host memory in less time than a transfer to the device takes, and it
// reads while other slabs are transferred.  The plan therefore leaves the first slabs to the CPU
// (StreamPlan::first_on_device).  These slabs hold whole subtrees, so that the CPU and the device
// exchange rows of X only:
//
//   forward     to the device: the CPU's rows, and sums for the rows of fronts above them
//   backward    to the CPU: rows of the fronts above;  to the device: the CPU's rows
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

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class HostSolve {
 public:
  /// The symbolic factor must outlive this object.
  /// @param plan     Plan of a streamed factor that leaves slabs to the CPU.
  /// @param threads  Host threads that solve.
  HostSolve(const symbolic::SymbolicFactor& symbolic, const DevicePlan& plan, int threads);

  /// Bytes of host memory that solves with nrhs right-hand sides need besides the panels.
  Offset bytes(Index nrhs) const;

  /// Allocates memory for solves with nrhs right-hand sides.
  /// @param queue  Queue that transfers the rows.
  /// Throws std::bad_alloc, DeviceError.
  void reserve(gpu::Queue& queue, Index nrhs);

  /// Sets the panels that solves read from here on.
  /// @param slabs  Address of each slab in host memory, as for PartSolve::set_panels().
  void set_panels(std::vector<T*> slabs);
  /// Says that the panels have become void: set_panels() must be called before the next solve.
  void forget_panels() { has_panels_ = false; }
  bool has_panels() const { return has_panels_; }

  /// One half of a solve.  begin() enqueues the download of the rows of X that the CPU reads;
  /// commands that write other rows may be enqueued after it.  forward() or backward() waits for
  /// the download, solves, and enqueues the upload of the rows that the CPU writes.
  /// @param x  X on the device, n x nrhs, row-major, for the nrhs of the last call of reserve().
  /// Throws DeviceError.
  void begin(gpu::Queue& queue, gpu::DeviceView<const T> x);
  void forward(gpu::Queue& queue, gpu::DeviceView<T> x);
  void backward(gpu::Queue& queue, gpu::DeviceView<T> x);

 private:
  /// A range of rows of X that is exchanged.  `begin` is its first row among all exchanged rows.
  struct Exchanged {
    RowRange rows;
    Offset begin = 0;
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
  std::vector<Exchanged> own_, above_;  // The ranges HostRows::own and HostRows::above.
  Index nrhs_ = 0;
  RowsView<T> x_;                 // X in part_'s host memory.
  gpu::PinnedPages<T> rows_;      // Exchanged rows of X, nrhs_ entries each.
  gpu::Event came_;               // Event of the last download.
  gpu::BorrowedQueue transfers_;  // Queue of the transfers from and to rows_.
};

}  // namespace clchol::numeric
