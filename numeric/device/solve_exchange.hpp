// Transfers vectors between devices during a solve with L L' X = B, when each device has only some
// of the fronts of L.
//
// Each device owns some fronts, its part of the factor.  A share (share.hpp) is the object that
// solves with one part on its device.  Where a front C and its parent P are in different parts, C
// is called an exported front of the part that owns C, and an imported front of the part that owns
// P.  C has nrow rows: its pivot columns, and then nupd update rows, each of which is also a row of
// P.  The share of C and the share of P exchange one vector of nupd x nrhs entries in each half of
// the solve, where nrhs is the number of right-hand sides:
//
//     part of device 0                                     part of device 1
//
//                                                                  P
//                      forward: update vector of C                 |
//            C         ----------------------------------->        C  (no columns here)
//                      <-----------------------------------
//                      backward: X in C's update rows
//
//   update vector of C     for each update row of C, the sum of all that the forward solve with C
//                          and with all descendants of C adds to this row of X
//   X in C's update rows   the solution in these rows, which the backward solve with P and with the
//                          ancestors of P has computed
//
// A share solves with the panels of its fronts slab by slab; a slab is the panels of some fronts
// (DevicePlan::slabs).  begin_forward() and begin_backward() receive the vectors that the solve
// with one slab reads; end_forward() and end_backward() send the vectors that the solve with the
// slab has computed.  A forward solve calls a SolveExchange `exchange` as follows; a backward solve
// does the same with begin_backward() and end_backward(), in the reverse order of the slabs:
//
//   exchange.begin(half);
//   for each slab of the share, in the order of the forward solve:
//     exchange.begin_forward(slab, half);
//     ... enqueue the forward solve with the slab in half.user: DeviceSolve::forward() ...
//     exchange.end_forward(slab, half);
//   exchange.end(half);
//
// The share of P adds the update vectors of P's children in one fixed order, whether a child is an
// imported front or belongs to the part of P.  Each sum is therefore formed in the same order as if
// one device had all fronts.
#pragma once

#include <map>
#include <memory>

#include "gpu_kernels/dense/move_rows.hpp"
#include "numeric/device/hand_over.hpp"
#include "numeric/device/solve.hpp"

namespace clchol::numeric {

/// Receives and sends the vectors of one share.  Not thread-safe: only one host thread at a time
/// may call member functions.  T: double, float.
template <class T>
class SolveExchange {
 public:
  /// The two hand-overs (transfers between devices: hand_over.hpp) of one front whose parent is in
  /// another part.  The front's share and the parent's share point to the same two objects.
  struct Ways {
    std::shared_ptr<HandOver<T>> sums;  // Forward solve: the update vector, to the parent's share.
    std::shared_ptr<HandOver<T>> x;  // Backward solve: X in the update rows, to the front's share.
  };
  /// Map from a front to its two hand-overs.  Key: the front's supernode number in the numbering of
  /// this share's part (symbolic::FactorPart).
  using WaysByFront = std::map<Index, Ways>;
  /// Operands of one half of a solve, forward or backward, on the share's device.
  struct Half {
    gpu::Queue& user;  // In-order queue to which the caller enqueues the kernels of the solve.
    // Solver of the share.  Its workspace has memory for each vector that is sent or received:
    // DeviceSolve::update_vector().
    const DeviceSolve<T>& solve;
    // X of the share in device memory: n x nrhs, row-major, where n is the number of rows of the
    // share's part.
    gpu::DeviceView<T> x;
    Index nrhs = 1;  // Number of right-hand sides, as in the last call of solve.reserve().
  };

  /// Builds the kernels that copy rows of X.
  /// @param runtime  Runtime of the share's device, which owns the queues of the transfers.  Must
  ///                 outlive this object.
  /// @param factor   Factor of the share.  Must outlive this object.
  /// @param imports  The hand-overs of each imported front: DevicePlan::imported.
  /// @param exports  The hand-overs of each exported front: DevicePlan::exported.
  /// Throws BuildError.
  SolveExchange(gpu::DeviceRuntime& runtime, const DeviceFactor<T>& factor, WaysByFront imports,
                WaysByFront exports);

  /// Begins a half of a solve: makes all uploads of received vectors wait for the commands that
  /// were enqueued in half.user before this call, because these commands may still use the
  /// workspace of half.solve, which the uploads overwrite.  Must be called once in each half,
  /// before the first slab.  Throws DeviceError.
  void begin(const Half& half);
  /// Ends a half of a solve: makes all commands that are enqueued in half.user afterwards wait for
  /// the downloads of the vectors that were sent, so that these commands may overwrite the
  /// workspace of half.solve.  Must be called once in each half, after the last slab.  Throws
  /// DeviceError.
  void end(const Half& half);

  /// Receives the update vector of each imported front whose parent is in the slab.  Blocks until
  /// the other shares have sent the vectors, and enqueues the uploads to the workspace of
  /// half.solve.  All commands that are enqueued in half.user afterwards wait for the uploads.
  /// Must be called before the forward solve with the slab is enqueued.
  /// @param slab  Number of the slab in the share's plan.
  /// Throws DeviceError for a failed command of either share.  Rethrows the exception that was
  /// passed to HandOver::fail() when the other share has failed.
  void begin_forward(Index slab, const Half& half);
  /// Receives X in the update rows of each exported front of the slab, as begin_forward() receives
  /// update vectors, and enqueues the copy of these rows to half.x.  Must be called before the
  /// backward solve with the slab is enqueued.  Throws the exceptions of begin_forward().
  void begin_backward(Index slab, const Half& half);
  /// Sends the update vector of each exported front of the slab: enqueues the downloads, which wait
  /// for all commands that were enqueued in half.user before this call.  Must be called after the
  /// forward solve with the slab was enqueued.  Throws DeviceError.
  void end_forward(Index slab, const Half& half);
  /// Sends X in the update rows of each imported front whose parent is in the slab: enqueues the
  /// copy of these rows from half.x to the workspace of half.solve, and the downloads.  Must be
  /// called after the backward solve with the slab was enqueued.  Throws DeviceError.
  void end_backward(Index slab, const Half& half);

 private:
  /// Returns the row numbers in X of a front's nupd update rows, in device memory.
  gpu::DeviceView<const Index> update_rows(const HandedUpdate& update) const;
  void receive(HandOver<T>& from, const HandedUpdate& update, const Half& half);
  void send(HandOver<T>& to, const HandedUpdate& update, const Half& half);

  const DeviceFactor<T>& factor_;
  WaysByFront imports_, exports_;
  gpu::MoveRows<T> move_rows_;  // Kernels that copy rows between X and a vector in the workspace.
  gpu::BorrowedQueue to_host_, to_device_;  // Queues of the downloads and of the uploads.
};

}  // namespace clchol::numeric
