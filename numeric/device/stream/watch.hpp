// Follows a streamed factorization while it is enqueued, group by group: reports progress, and ends
// it when the caller cancels or a pivot fails.
//
// A "look" is a kernel that searches the pivots of all fronts since the look before for a failure,
// and the transfer of its result to the host.  A "mark" is a point of the queue that is waited for.
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
  kEnqueued,   ///< Everything was enqueued.
  kCancelled,  ///< The caller cancelled.
  kFailed,     ///< A pivot failed; no group that was not enqueued has a smaller column.
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class StreamWatch {
 public:
  /// @param plan  plan of a streamed factor; it must outlive this object.
  /// Throws BuildError.
  StreamWatch(gpu::ProgramCache& programs, const DevicePlan& plan);

  /// Bytes of device memory that allocate() will allocate.
  Offset bytes() const { return num_looks_ * Offset{sizeof(gpu::PivotStatus<T>)}; }
  /// Must be called once, before begin().  Throws DeviceError.
  /// @param to_host  queue that brings the results of looks to the host.  Such a transfer on the
  ///                 kernels' queue would delay the kernels until the panels' transfers have ended.
  void allocate(gpu::Queue& queue, gpu::Queue& to_host);

  void begin(const Control& control);
  /// Must be called after each group was enqueued.  Waits, so that enqueueing stays at most two
  /// groups ahead of the device if the caller wants progress or cancel, else two looks ahead.
  /// @param fronts  all fronts of the plan.
  /// @param status  pivot status of each front of the plan.
  /// Throws DeviceError.
  FactorOutcome follow(gpu::Queue& queue, Index group, gpu::DeviceView<const gpu::Front> fronts,
                       gpu::DeviceView<const gpu::PivotStatus<T>> status);

 private:
  /// A point of the queue that is waited for: the end of a group, or of the look after it.
  struct Mark {
    gpu::Event event;
    Index group = 0;     // Group that was enqueued last.
    Index look = kNone;  // Number of the look; kNone: there is none.
  };

  void look(gpu::Queue& queue, Mark& mark, gpu::DeviceView<const gpu::Front> fronts,
            gpu::DeviceView<const gpu::PivotStatus<T>> status);
  bool has_failed(const Mark& mark) const;

  const DevicePlan& plan_;
  gpu::FirstFailure<T> first_failure_;
  double all_s_ = 0;  // Predicted seconds of all groups.
  // Smallest pivot column of groups g, g + 1...  Length: number of groups + 1.
  std::vector<Index> least_column_;
  Index num_looks_ = 0;                             // Most looks of a factorization.
  gpu::DeviceBuffer<gpu::PivotStatus<T>> found_;    // Result of each look.  Length num_looks_.
  gpu::PinnedBuffer<gpu::PivotStatus<T>> on_host_;  // Copy of found_ in host memory.
  gpu::BorrowedQueue to_host_;

  // ---- State of the current factorization ----
  const Control* control_ = nullptr;
  double done_s_ = 0;         // Predicted seconds of the groups that have ended.
  double unseen_s_ = 0;       // Predicted seconds of the groups since the last look.
  Index first_unseen_ = 0;    // First front that no look has covered.
  Index next_look_ = 0;       // Number of the next look.
  std::deque<Mark> pending_;  // Marks that were enqueued and have not been waited for.
};

}  // namespace clchol::numeric
