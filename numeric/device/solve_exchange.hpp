// Passes vectors between the shares of several devices during a solve L L' X = B.
//
// Each device's share owns some fronts.  A front whose parent is in another share is an exported
// front of its own share and an imported front of the parent's share.  One vector crosses in each
// half of the solve:
//
//   forward    to the parent's share: the front's update vector, which is what the forward solve
//              with the front and its descendants adds to the front's nupd update rows
//   backward   to the front's share: the solution X in the front's nupd update rows
//
// A hand-over (hand_over.hpp) transfers one vector.  A share receives a vector before it solves
// with the slab that reads the vector, and sends a vector after it has solved with the slab that
// writes the vector.  The parent adds the update vectors of its children in a fixed order, whether
// or not a child is in another share, so that sums have the same order as on one device.
#pragma once

#include <map>
#include <memory>

#include "gpu_kernels/dense/move_rows.hpp"
#include "numeric/device/hand_over.hpp"
#include "numeric/device/solve.hpp"

namespace clchol::numeric {

/// Receives and sends the vectors of one share.  Not thread-safe: one host thread at a time may
/// call member functions.  T: double, float.
template <class T>
class SolveExchange {
 public:
  /// The two hand-overs of one front, between the front's share and its parent's share.
  struct Ways {
    std::shared_ptr<HandOver<T>> sums;  // Forward: the front's update vector.
    std::shared_ptr<HandOver<T>> x;     // Backward: X in the front's update rows.
  };
  /// Key: the front's supernode number in the share's part of the factor.
  using WaysByFront = std::map<Index, Ways>;
  /// Operands of one half, forward or backward, of a solve.
  struct Half {
    gpu::Queue& user;             // In-order queue of the solve's kernels.
    const DeviceSolve<T>& solve;  // Object whose workspace holds the update vectors.
    gpu::DeviceView<T> x;         // X of the share on the device, n x nrhs, row-major.
    Index nrhs = 1;               // Right-hand sides of the last call of solve.reserve().
  };

  /// Builds kernels.
  /// @param runtime  Runtime of the share's device, which owns the copy queues.  Must outlive this
  ///                 object.
  /// @param factor   Factor of the share.  Must outlive this object.
  /// @param imports  The hand-overs of each front in DevicePlan::imported.
  /// @param exports  The hand-overs of each front in DevicePlan::exported.
  /// Throws BuildError.
  SolveExchange(gpu::DeviceRuntime& runtime, const DeviceFactor<T>& factor, WaysByFront imports,
                WaysByFront exports);

  /// Makes the uploads of this half wait for all commands that are in half.user already, because
  /// uploads overwrite vectors that these commands use.  Must be called before the first slab of
  /// each half.  Throws DeviceError.
  void begin(const Half& half);
  /// Makes all commands that are enqueued in half.user afterwards wait for the downloads of this
  /// half, so that these commands may overwrite the vectors.  Must be called after the last slab of
  /// each half.  Throws DeviceError.
  void end(const Half& half);

  /// Receive the vectors that the solve with the slab reads: block until the other shares have sent
  /// them, enqueue the uploads, and make all commands that are enqueued in half.user afterwards
  /// wait for the uploads.  Throw DeviceError for a failed command of either share; rethrow the
  /// exception that was passed to HandOver::fail().
  void begin_forward(Index slab, const Half& half);
  void begin_backward(Index slab, const Half& half);
  /// Enqueue the downloads of the vectors that the solve with the slab has written for other
  /// shares, and let these shares receive them.  Throw DeviceError.
  void end_forward(Index slab, const Half& half);
  void end_backward(Index slab, const Half& half);

 private:
  /// Row numbers of the front's nupd update rows, in device memory.
  gpu::DeviceView<const Index> update_rows(const HandedUpdate& update) const;
  void receive(HandOver<T>& from, const HandedUpdate& update, const Half& half);
  void send(HandOver<T>& to, const HandedUpdate& update, const Half& half);

  const DeviceFactor<T>& factor_;
  WaysByFront imports_, exports_;
  gpu::MoveRows<T> move_rows_;
  gpu::BorrowedQueue to_host_, to_device_;
};

}  // namespace clchol::numeric
