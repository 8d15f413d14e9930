#include "gpu_kernels/runtime/event.hpp"

#include <utility>

#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {

Event Event::share() const {
  Event other;
  if (event_) {
    other.context_ = context_;
    other.event_ = Handle<cl_event>::retained(event_.get());
  }
  return other;
}

void Event::wait() const {
  if (!event_) return;
  const cl_event event = event_.get();
  check(clWaitForEvents(1, &event), "clWaitForEvents", context_->name());
}

bool Event::is_done() const {
  if (!event_) return true;
  const auto status = info_value<cl_int>({"clGetEventInfo", context_->name()}, clGetEventInfo,
                                         CL_EVENT_COMMAND_EXECUTION_STATUS, event_.get());
  if (status < 0) check(status, "a command that was enqueued", context_->name());
  return status == CL_COMPLETE;
}

EventTimes Event::times() const {
  if (!event_) return {};
  const auto time = [this](cl_profiling_info what) {
    return info_value<cl_ulong>({"clGetEventProfilingInfo", context_->name()},
                                clGetEventProfilingInfo, what, event_.get());
  };
  return {time(CL_PROFILING_COMMAND_QUEUED), time(CL_PROFILING_COMMAND_SUBMIT),
          time(CL_PROFILING_COMMAND_START), time(CL_PROFILING_COMMAND_END)};
}

void EventLog::record(std::string name, std::string queue, Event event, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(name), std::move(queue), std::move(event), bytes});
}

std::vector<LoggedEvent> EventLog::take() {
  std::vector<Entry> entries;
  {
    const std::lock_guard lock(mutex_);
    entries.swap(entries_);
  }
  std::vector<LoggedEvent> logged;
  logged.reserve(entries.size());
  for (Entry& entry : entries) {
    entry.event.wait();
    logged.push_back(
        {std::move(entry.name), std::move(entry.queue), entry.event.times(), entry.bytes});
  }
  return logged;
}

void EventLog::record_host(HostWork work) {
  const std::lock_guard lock(mutex_);
  host_.push_back(std::move(work));
}

std::vector<HostWork> EventLog::take_host() {
  const std::lock_guard lock(mutex_);
  return std::exchange(host_, {});
}

}  // namespace clchol::gpu
