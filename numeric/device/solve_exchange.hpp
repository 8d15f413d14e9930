// Solves over fronts of several devices: what crosses between their shares.
//
//   forward    the update vector of a front whose parent is another share's goes to the parent
//   backward   the rows of X that are the front's update rows come back
//
// A vector crosses by a hand-over (hand_over.hpp), before the slab of the one that reads the vector
// and behind the slab of the one that writes the vector.  The parent adds the update vector as if
// the child were its own share's, so sums are in the order of one device's.
#pragma once

#include <map>
#include <memory>

#include "gpu_kernels/dense/move_rows.hpp"
#include "numeric/device/hand_over.hpp"
#include "numeric/device/solve.hpp"

namespace clchol::numeric {

/// The vectors of one share, by the slabs of its plan.  For one thread at a time.  T: double,
/// float.
template <class T>
class SolveExchange {
 public:
  /// The ways of one front's vectors.
  struct Ways {
    std::shared_ptr<HandOver<T>> sums;  // Forward, of the update vector.
    std::shared_ptr<HandOver<T>> x;     // Backward, of the rows of X.
  };
  using WaysByFront = std::map<Index, Ways>;  // By the front's number in the part.
  /// One half of a solve.
  struct Half {
    gpu::Queue& user;             // Whose commands solve.
    const DeviceSolve<T>& solve;  // Its workspace has the vectors.
    gpu::DeviceView<T> x;         // The share's X,
    Index nrhs = 1;               // with as many right-hand sides as solve has room for.
  };

  /// Builds kernels.  The factor and the copy queues' owner outlive this.
  /// @param imports, exports  one for each update of the plan's imported and exported ones.
  /// Throws BuildError.
  SolveExchange(gpu::DeviceRuntime& runtime, const DeviceFactor<T>& factor, WaysByFront imports,
                WaysByFront exports);

  /// Before the first slab and behind the last one of a half.
  void begin(const Half& half);
  void end(const Half& half);

  /// Wait for what the slab reads of other shares: what half.user does next follows.
  /// Throw DeviceError, and what HandOver::fail() was told.
  void begin_forward(Index slab, const Half& half);
  void begin_backward(Index slab, const Half& half);
  /// Enqueue the transfer of what the slab wrote for other shares.  Throw DeviceError.
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
