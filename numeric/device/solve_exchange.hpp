// Hand-overs of vectors in solves with fronts of several devices' shares.
//
// A front whose parent is in another share is an exported front of its own share and an imported
// front of the parent's share:
//
//   forward    the front's update vector goes to the parent's share
//   backward   the rows of X that are the front's update rows go to the front's share
//
// Vectors cross by hand-overs (hand_over.hpp).  A share receives a vector before it solves with the
// slab that reads the vector, and sends a vector after the slab that writes the vector.  The parent
// adds the update vector as if the child were in its own share, so that sums have the same order as
// on one device.
#pragma once

#include <map>
#include <memory>

#include "gpu_kernels/dense/move_rows.hpp"
#include "numeric/device/hand_over.hpp"
#include "numeric/device/solve.hpp"

namespace clchol::numeric {

/// The hand-overs of vectors from and to one share, by the slabs of its plan.  For one thread at a
/// time.  T: double, float.
template <class T>
class SolveExchange {
 public:
  /// The hand-overs of one front's vectors.
  struct Ways {
    std::shared_ptr<HandOver<T>> sums;  // Forward: the front's update vector.
    std::shared_ptr<HandOver<T>> x;     // Backward: the rows of X.
  };
  using WaysByFront = std::map<Index, Ways>;  // Key: the front's number in the part.
  /// Operands of one half of a solve.
  struct Half {
    gpu::Queue& user;             // Queue of the solve's kernels.
    const DeviceSolve<T>& solve;  // Owner of the update vectors, which lie in its workspace.
    gpu::DeviceView<T> x;         // X of the share.
    Index nrhs = 1;               // Right-hand sides that `solve` has reserved memory for.
  };

  /// Builds kernels.  The factor and the runtime (owner of the copy queues) must outlive this
  /// object.
  /// @param imports  Hand-overs for each of the plan's imported update matrices.
  /// @param exports  Hand-overs for each of the plan's exported update matrices.
  /// Throws BuildError.
  SolveExchange(gpu::DeviceRuntime& runtime, const DeviceFactor<T>& factor, WaysByFront imports,
                WaysByFront exports);

  /// Must be called before the first slab (begin) and after the last slab (end) of each half.
  void begin(const Half& half);
  void end(const Half& half);

  /// Receive the vectors that solving with the slab reads.  Commands that are enqueued in half.user
  /// from here on wait for the uploads.
  /// Throw DeviceError, and the reason given to HandOver::fail().
  void begin_forward(Index slab, const Half& half);
  void begin_backward(Index slab, const Half& half);
  /// Send the vectors that solving with the slab has written for other shares.  Throw DeviceError.
  void end_forward(Index slab, const Half& half);
  void end_backward(Index slab, const Half& half);

 private:
  gpu::DeviceView<const Index> update_rows(const HandedUpdate& update) const;
  void receive(HandOver<T>& from, const HandedUpdate& update, const Half& half);
  void send(HandOver<T>& to, const HandedUpdate& update, const Half& half);

  const DeviceFactor<T>& factor_;
  WaysByFront imports_, exports_;
  gpu::MoveRows<T> move_rows_;
  gpu::BorrowedQueue to_host_, to_device_;
};

}  // namespace clchol::numeric
