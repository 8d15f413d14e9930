// Solves by the CPU engine with slabs of a streamed factor where they lie, in host memory.
//
// Reading a panel from host memory takes less time than sending it to the device, and the CPU reads
// while the bus sends.  The plan leaves the first slabs to the CPU (StreamPlan::first_on_device):
// whole subtrees, so that the two exchange rows of X alone.  Forward, the CPU's rows, and sums for
// the rows of fronts above them, go to the device; backward, rows of the fronts above come.
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
  /// The symbolic factor outlives it.
  /// @param plan     streamed, with slabs that are left to the CPU.
  /// @param threads  that solve.
  HostSolve(const symbolic::SymbolicFactor& symbolic, const DevicePlan& plan, int threads);

  /// Bytes of host memory that solves with nrhs right-hand sides take, the panels left out.
  Offset bytes(Index nrhs) const;

  /// Makes room for nrhs right-hand sides, whose rows `queue` transfers.  Throws std::bad_alloc,
  /// DeviceError.
  void reserve(gpu::Queue& queue, Index nrhs);

  /// The panels that solves read from here on.
  /// @param slabs  by number, PartSolve::set_panels().
  void set_panels(std::vector<T*> slabs);
  /// After the panels have become void; then set_panels() comes before the next solve.
  void forget_panels() { has_panels_ = false; }
  bool has_panels() const { return has_panels_; }

  /// One half of a solve: begin() enqueues the transfer of the rows of X that the CPU reads, and
  /// may be followed by commands that write other rows.  forward() or backward() waits for that
  /// transfer, solves, and enqueues the transfer of the rows that the CPU writes.
  /// @param x  n x nrhs, row-major, on the device; nrhs as reserve() was called for last.
  /// Throws DeviceError.
  void begin(gpu::Queue& queue, gpu::DeviceView<const T> x);
  void forward(gpu::Queue& queue, gpu::DeviceView<T> x);
  void backward(gpu::Queue& queue, gpu::DeviceView<T> x);

 private:
  /// A range of rows of X, and where it begins among all rows that are exchanged.
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
  std::vector<Exchanged> own_, above_;  // HostRows.
  Index nrhs_ = 0;
  RowsView<T> x_;             // The part's X.
  gpu::PinnedPages<T> rows_;  // The rows of X that are exchanged, of length nrhs.
  gpu::Event came_;
  gpu::BorrowedQueue transfers_;
};

}  // namespace clchol::numeric
