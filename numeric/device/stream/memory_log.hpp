// Records, for a timeline, the bytes of a streamed factor that are in use on the device, in host
// memory and in the scratch file.  Nothing is recorded unless the queue of the kernels has a log.
//
// The plan (plan.hpp) says which ranges of the arena, and which ranges of host memory, come into
// use and become free with which kernels and transfers.  The events of these kernels and transfers
// give the times.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/queue.hpp"
#include "numeric/device/stream/plan.hpp"

namespace clchol::numeric {

/// Records the memory of one streamed factor.  Not thread-safe.
class StreamMemoryLog {
 public:
  /// Begins a factorization: records the bytes that are in use before the first group.
  /// @param user         queue of the kernels.
  /// @param value_bytes  bytes of one entry.
  void begin(const StreamPlan& plan, gpu::Queue& user, Offset value_bytes);
  /// Must be called before the first kernels of each group are enqueued in `user`, and after the
  /// commands for which these kernels wait.
  void begin_group(gpu::Queue& user);
  /// Must be called after the last kernels of each group were enqueued in `user`.
  void end_group(gpu::Queue& user);
  /// Ends a factorization: records all changes, if all groups were enqueued.
  /// @param done  events of StreamPlan::transfers, all of which were enqueued.
  void end(const StreamPlan& plan, gpu::Queue& user, const std::vector<gpu::Event>& done,
           Offset value_bytes);

 private:
  // Markers before and after the kernels of each group.  Empty without a log.
  std::vector<gpu::Event> begun_, ended_;
};

}  // namespace clchol::numeric
