// Watches a streamed factorization while its groups are enqueued one after another: reports
// progress, and tells the caller to enqueue no more groups when the factorization was cancelled or
// a pivot has failed.
//
// A "look" searches for failed pivots: a kernel reads the pivot statuses of all fronts that were
// factored since the previous look, and the kernel's result, the first failed pivot, is downloaded.
// A "mark" is an event for which the host waits later: the end of a group's kernels, or the end of
// the look that was enqueued after the group.  The caller calls follow() after each group; follow()
// enqueues looks and marks, and waits for old marks.
#pragma once

#include <deque>
#include <vector>

#include "gpu_kernels/fronts/first_failure.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"
#include "numeric/control.hpp"
#include "numeric/device/plan.hpp"

namespace clchol::numeric {

/// What StreamWatch::follow() has found after a group was enqueued.
enum class FactorOutcome : unsigned char {
  kEnqueued,   ///< The groups were enqueued, and there is no reason to stop.
  kCancelled,  ///< The caller has cancelled the factorization.
  kFailed,     ///< A pivot failed, and later groups have no smaller column than this pivot's.
};

/// Watches factorizations of one streamed factor, one factorization at a time.  Not thread-safe.
/// All groups of a factorization must be enqueued in one in-order queue.  T: double, float.
template <class T>
class StreamWatch {
 public:
  /// Builds the kernel that searches for failed pivots.
  /// @param plan  Plan of a streamed factor.  It must outlive this object.
  /// Throws BuildError.
  StreamWatch(gpu::ProgramCache& programs, const DevicePlan& plan);

  /// Bytes of device memory that allocate() will allocate.
  Offset bytes() const { return num_looks_ * Offset{sizeof(gpu::PivotStatus<T>)}; }
  /// Allocates memory for the results of looks.  Must be called once, before begin().
  /// @param queue    Queue of the factorization's kernels.  allocate() maps pinned host memory by a
  ///                 command of this queue.
  /// @param to_host  Another queue, for the downloads of looks.  It must outlive this object.  In
  ///                 the kernels' queue, a download would wait for transfers of panels that are
  ///                 under way, and later kernels would wait for the download.
  /// Throws DeviceError.
  void allocate(gpu::Queue& queue, gpu::Queue& to_host);

  /// Begins to watch a factorization, and forgets the previous one.
  /// @param control  Must stay valid until the last call of follow() for this factorization.
  void begin(const Control& control);
  /// Enqueues a look if at least 0.02 predicted seconds of kernels were enqueued since the last
  /// look, and reports progress.  Must be called after each group was enqueued.  Blocks while the
  /// device is too far behind the host: if the control has a progress function or a cancel flag, by
  /// more than two groups that are predicted to take more than 0.05 seconds together, or more than
  /// an eighth of the factorization; otherwise by more than two looks.
  /// @param queue   Queue of the group's kernels.
  /// @param group   Number of the group that was enqueued last: its index in DevicePlan::groups.
  /// @param fronts  All fronts of the plan.
  /// @param status  First failed pivot of each front.  Indexed as `fronts`.
  /// @return kEnqueued if the caller should enqueue the next group; otherwise the reason to stop.
  /// Throws DeviceError.
  FactorOutcome follow(gpu::Queue& queue, Index group, gpu::DeviceView<const gpu::Front> fronts,
                       gpu::DeviceView<const gpu::PivotStatus<T>> status);

 private:
  /// An event for which the host waits later.
  struct Mark {
    gpu::Event event;    // End of the group's kernels, or of the look's download.
    Index group = 0;     // Last group that was enqueued before the event.
    Index look = kNone;  // Number of the look in this factorization.  kNone: end of kernels.
    double seconds = 0;  // Predicted seconds of the groups enqueued since the previous mark.
  };

  void look(gpu::Queue& queue, Mark& mark, gpu::DeviceView<const gpu::Front> fronts,
            gpu::DeviceView<const gpu::PivotStatus<T>> status);
  bool wait_for_oldest();
  bool has_failed(const Mark& mark) const;

  const DevicePlan& plan_;
  gpu::FirstFailure<T> first_failure_;
  double all_s_ = 0;  // Predicted seconds of all groups.
  // least_column_[g]: smallest pivot column, numbered as in L, of all fronts in the groups g,
  // g + 1, ...  The last element is the maximum of Index.  Length: number of groups + 1.
  std::vector<Index> least_column_;
  Index num_looks_ = 0;                           // Greatest number of looks of one factorization.
  gpu::DeviceBuffer<gpu::PivotStatus<T>> found_;  // Result of each look.  Length num_looks_.
  gpu::PinnedBuffer<gpu::PivotStatus<T>> on_host_;  // Copy of found_ in host memory.
  gpu::BorrowedQueue to_host_;

  // ---- State of the current factorization ----
  const Control* control_ = nullptr;
  double done_s_ = 0;       // Predicted seconds of the groups for whose marks the host has waited.
  double unseen_s_ = 0;     // Predicted seconds of the groups enqueued since the last look.
  double unmarked_s_ = 0;   // Predicted seconds of the groups enqueued since the last mark.
  double pending_s_ = 0;    // Sum of Mark::seconds of pending_.
  Index first_unseen_ = 0;  // First front that the next look reads, in the plan's numbering.
  Index next_look_ = 0;     // Number of the next look.
  std::deque<Mark> pending_;  // Marks for which the host has not waited yet, oldest first.
};

}  // namespace clchol::numeric
