// What a share records for a timeline: the bytes of device memory in use, and the budgets.  Nothing
// is recorded unless the queue of the kernels has a log.
#include <utility>
#include <vector>

#include "numeric/device/share.hpp"

namespace clchol::numeric {

/// Bytes of device memory in use: all buffers that are allocated, of which the buffer of update
/// matrices counts with `updates` bytes.
template <class T>
Offset DeviceShare<T>::bytes_in_use(Offset updates) const {
  const auto allocated = static_cast<Offset>(runtime_.context().memory()->now());
  return allocated - buffers_.updates.size() * Offset{sizeof(T)} + updates;
}

/// Records a change that takes place when the commands enqueued so far have ended.
template <class T>
void DeviceShare<T>::record_device_bytes(MemoryChange change) {
  gpu::Queue& queue = runtime_.queue();
  change.tier = kDeviceTier;
  std::vector<gpu::Event> now;
  now.push_back(queue.timed_marker());
  queue.log()->record_change(std::move(change), std::move(now));
}

/// Records the budgets and the bytes in use when a factorization begins.  A streamed factorization
/// has nothing in its arena yet; otherwise the buffer of update matrices is in use as a whole.
template <class T>
void DeviceShare<T>::record_factorization() {
  if (!runtime_.queue().logging()) return;
  HostLog& log = runtime_.queue().log()->host();
  const bool is_streamed = plan_.factor->plan().stream.has_value();
  log.record({.tier = kDeviceTier, .bytes = planner_.budgets().device});
  if (is_streamed) log.record({.tier = kHostTier, .bytes = planner_.budgets().host});
  recorded_bytes_ = bytes_in_use(is_streamed ? 0 : buffers_.updates.size() * Offset{sizeof(T)});
  record_device_bytes({.tier = {}, .bytes = recorded_bytes_, .is_total = true});
}

/// Records the bytes in use by the factor between calls, and by a solve.  Of a streamed factor's
/// arena, these are the ranges that the plan has for solves, without the ring: PanelStore records
/// the slabs in the ring.
/// @param plan    the memory of the solve, or of the factor alone.
/// @param is_new  whether the factorization has just been enqueued: the ring is empty then.
template <class T>
void DeviceShare<T>::record_solve(const MemoryPlan& plan, bool is_new) {
  if (!runtime_.queue().logging()) return;
  const DevicePlan& device_plan = plan_.factor->plan();
  Offset updates = buffers_.updates.size() * Offset{sizeof(T)};
  if (device_plan.stream) {
    const auto solve_step = static_cast<Index>(device_plan.groups.size());
    updates = plan.used(plan_.memory.updates, solve_step) - plan_.memory.ring.bytes;
  }
  const Offset before = std::exchange(recorded_bytes_, bytes_in_use(updates));
  if (is_new) {
    record_device_bytes({.tier = {}, .bytes = recorded_bytes_, .is_total = true});
  } else if (recorded_bytes_ != before) {
    record_device_bytes({.tier = {}, .bytes = recorded_bytes_ - before});
  }
}

template class DeviceShare<double>;
template class DeviceShare<float>;

}  // namespace clchol::numeric
