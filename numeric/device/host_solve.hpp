// Lets the CPU solve with some slabs of panels of a streamed factor, while the device solves with
// other slabs.
//
// The CPU reads a panel from host memory in less time than a transfer of the panel to the device
// takes.  Therefore the plan may let the CPU solve with the first slabs, which then stay in host
// memory: the slabs before StreamPlan::first_on_device.  These slabs hold whole subtrees of fronts,
// so the CPU and the device exchange only rows of X, the n x nrhs matrix of right-hand sides and
// solutions:
//
//   own rows      rows of X that are pivot columns of the fronts that the CPU solves with
//   above rows    rows of X that are pivot columns of all other ancestors of these fronts
//
// Below, O is the set of the own rows, and U the set of the above rows.
//
//   forward    1. The own and above rows of X are downloaded.
//              2. The CPU computes X(O) := L(O,O)^-1 X(O), then X(U) := X(U) - L(U,O) X(O).
//                 Meanwhile the device solves with the slabs that have no front of the CPU below
//                 them in the assembly tree (SolveOrder::free()).
//              3. The own and above rows are uploaded.
//              4. The device solves with its remaining slabs (SolveOrder::above()).
//   backward   1. The device solves with the slabs of SolveOrder::above().
//              2. The own and above rows of X are downloaded.
//              3. The CPU computes X(O) := L(O,O)^-T (X(O) - L(U,O)' X(U)).
//                 Meanwhile the device solves with the slabs of SolveOrder::free().
//              4. The own rows are uploaded.
//
// HostSolve does the CPU's work and the transfers.  DeviceShare (share.hpp) does the device's work.
// A solve with dropped slabs takes hundreds of commands, which another host thread enqueues while
// the CPU solves.
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

/// The CPU's work in solves with one streamed factor.  An object owns host memory for X, enqueues
/// the transfers of the rows of X, and solves with the CPU's slabs.  For each half of a solve the
/// caller calls begin(), then forward() or backward(), then end(), all with the same in-order
/// queue. Not thread-safe.  T: double, float.
template <class T>
class HostSolve {
 public:
  /// Finds the rows to exchange, and prepares solves with all slabs that are left to the CPU.
  /// @param symbolic  Must outlive this object.
  /// @param plan      Plan of a streamed factor that leaves at least one slab to the CPU.
  /// @param threads   Number of host threads that solve.
  HostSolve(const symbolic::SymbolicFactor& symbolic, const DevicePlan& plan, int threads);

  /// Returns the bytes of host memory that solves with nrhs right-hand sides need, without panels.
  Offset bytes(Index nrhs) const;

  /// Allocates host memory for solves with nrhs right-hand sides.  Must be called before begin(),
  /// and again whenever nrhs changes.  Waits for earlier transfers if nrhs has changed.
  /// @param queue  A queue of the context whose driver pins (page-locks) the memory.
  /// Throws std::bad_alloc, DeviceError.
  void reserve(gpu::Queue& queue, Index nrhs);

  /// Sets the panels that all following solves read.
  /// @param slabs  Address in host memory of each slab of the plan; null for slabs that the device
  ///               solves with.  kPanelSlack entries after the end of each slab must be readable.
  void set_panels(std::vector<T*> slabs);
  /// Marks the panels as void, for example because a new factorization overwrites them.
  /// set_panels() must be called before the next solve.
  void forget_panels() { has_panels_ = false; }
  /// Whether set_panels() has been called since the last call of forget_panels().
  bool has_panels() const { return has_panels_; }

  /// Enqueues the download of the own and above rows of X.  Between this call and forward() or
  /// backward(), the caller may enqueue commands that write neither own nor above rows of X.
  /// @param x  X on the device, n x nrhs, row-major, with the nrhs of the last call of reserve().
  /// Throws DeviceError.
  void begin(gpu::Queue& queue, gpu::DeviceView<const T> x);
  /// forward() and backward() wait for the download that begin() enqueued, and do the CPU's steps
  /// of X := L^-1 X (forward) or X := L^-T X (backward).  Meanwhile another thread may enqueue
  /// commands in the queue.
  /// @param queue  The queue that begin() was called with.
  /// Both throw DeviceError.
  void forward(const gpu::Queue& queue);
  void backward(const gpu::Queue& queue);
  /// Enqueues the upload of the rows that the CPU has written: own and above rows after forward(),
  /// own rows after backward().
  /// @param x  The X that begin() was called with.
  /// Throws DeviceError.
  void end(gpu::Queue& queue, gpu::DeviceView<T> x);

 private:
  /// A range of consecutive rows of X that the CPU and the device exchange.
  struct Exchanged {
    RowRange rows;     // Rows of X.
    Offset begin = 0;  // Number of the row of the buffer rows_ at which the range begins.
  };
  Offset rows_in_all() const;
  std::span<T> values_of(const Exchanged& range) const;
  template <class Move>
  void for_rows(const Exchanged& range, const Move& move) const;
  void take(const std::vector<Exchanged>& ranges) const;
  void take_rows(const gpu::Queue& queue);
  void send(gpu::Queue& queue, const std::vector<Exchanged>& ranges, gpu::DeviceView<T> x) const;

  Index n_;
  int threads_;
  std::unique_ptr<PartSolve<T>> part_;
  bool has_panels_ = false;
  std::vector<Exchanged> own_, above_;  // Ranges of the own rows and of the above rows.
  Index nrhs_ = 0;                      // Right-hand sides in the last reserve(); 0: no call yet.
  RowsView<T> x_;                       // X in host memory, which part_ owns.
  gpu::PinnedPages<T> rows_;            // Transfer buffer: own rows, then above rows; row-major.
  gpu::Event came_;                     // Event of the last download that begin() enqueued.
  bool sends_above_ = false;            // Whether end() uploads the above rows, too.
  gpu::BorrowedQueue transfers_;  // Queue of all transfers from and to rows_; null: none so far.
};

}  // namespace clchol::numeric
