// Follows a streamed factorization while it is enqueued, group by group: progress, cancel, and
// pivots that fail.
#pragma once

#include <deque>
#include <vector>

#include "gpu_kernels/fronts/first_failure.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"
#include "numeric/control.hpp"
#include "numeric/device/plan.hpp"

namespace clchol::numeric {

/// How the enqueueing of a factorization ended.
enum class FactorOutcome : unsigned char {
  kEnqueued,   ///< All of it was enqueued.
  kCancelled,  ///< By the caller.
  kFailed,     ///< A pivot failed, and no group that is left out has a smaller column.
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class StreamWatch {
 public:
  /// @param plan  streamed; it outlives the watch.  Throws BuildError.
  StreamWatch(gpu::ProgramCache& programs, const DevicePlan& plan);

  /// What allocate() takes of the device's memory.
  Offset bytes() const { return num_looks_ * Offset{sizeof(gpu::PivotStatus<T>)}; }
  /// Once, before the rest.  Throws DeviceError.
  /// @param to_host  brings what the looks find: a transfer on the kernels' queue would hold them
  ///                 up until the panels' transfers have ended.
  void allocate(gpu::Queue& queue, gpu::Queue& to_host);

  void begin(const Control& control);
  /// After a group was enqueued: two groups behind where the caller watches; else two looks at
  /// pivots.
  /// @param status  of all fronts of the plan.
  /// Throws DeviceError.
  FactorOutcome follow(gpu::Queue& queue, Index group, gpu::DeviceView<const gpu::Front> fronts,
                       gpu::DeviceView<const gpu::PivotStatus<T>> status);

 private:
  /// The end of a group, and what is looked at there.
  struct Mark {
    gpu::Event event;
    Index group = 0;
    Index look = kNone;
  };

  void look(gpu::Queue& queue, Mark& mark, gpu::DeviceView<const gpu::Front> fronts,
            gpu::DeviceView<const gpu::PivotStatus<T>> status);
  bool has_failed(const Mark& mark) const;

  const DevicePlan& plan_;
  gpu::FirstFailure<T> first_failure_;
  double all_s_ = 0;                 // Predicted, of all groups.
  std::vector<Index> least_column_;  // Of groups from each on; one more than there are.
  Index num_looks_ = 0;              // At most.
  gpu::DeviceBuffer<gpu::PivotStatus<T>> found_;
  gpu::PinnedBuffer<gpu::PivotStatus<T>> on_host_;  // The same.
  gpu::BorrowedQueue to_host_;
  // Of the factorization at hand.
  const Control* control_ = nullptr;
  double done_s_ = 0;       // Of groups that have ended.
  double unseen_s_ = 0;     // Of groups that no look has been at.
  Index first_unseen_ = 0;  // Their first front.
  Index next_look_ = 0;
  std::deque<Mark> pending_;
};

}  // namespace clchol::numeric
