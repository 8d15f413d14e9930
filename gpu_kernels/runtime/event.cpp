#include "gpu_kernels/runtime/event.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/number_text.hpp"
#include "base/timer.hpp"
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
  if (context_->wait_limit() > 0 || context_->is_lost()) {
    wait_within_limit(nullptr);
  } else {
    check(clWaitForEvents(1, &event), "clWaitForEvents", context_->name());
  }
}

bool Event::wait_unless(const std::atomic<bool>& cancel) const {
  return !event_ || wait_within_limit(&cancel);
}

/// Polls, because no OpenCL function waits for a limited time.  Sleeps make the wait at most a
/// hundredth longer.
bool Event::wait_within_limit(const std::atomic<bool>* cancel) const {
  constexpr double kSpinSeconds = 2e-3, kLongestSleep = 1e-3;
  const double limit = context_->wait_limit();
  const auto queue = info_value<cl_command_queue>(
      {"clGetEventInfo", context_->name()}, clGetEventInfo, CL_EVENT_COMMAND_QUEUE, event_.get());
  if (queue != nullptr) check(clFlush(queue), "clFlush", context_->name());
  for (const Timer timer; !is_done();) {
    const double seconds = timer.seconds();
    if (cancel != nullptr && cancel->load()) return false;
    if (context_->is_lost()) throw DeviceError("the device '" + context_->name() + "' is lost");
    if (limit > 0 && seconds > limit) {
      declare_lost(context_->get(), context_->device().id);
      throw DeviceError("the device '" + context_->name() + "' did not end a command within " +
                        general_text(limit, 3) + " s and is given up");
    }
    if (seconds < kSpinSeconds) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::min(seconds / 100, kLongestSleep)));
    }
  }
  return true;
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

void EventLog::record_change(MemoryChange change, std::vector<Event> events) {
  const std::lock_guard lock(mutex_);
  changes_.push_back({std::move(change), std::move(events), false});
}

void EventLog::record_change_at_start(MemoryChange change, Event event) {
  const std::lock_guard lock(mutex_);
  changes_.push_back({std::move(change), {}, true});
  changes_.back().events.push_back(std::move(event));
}

std::vector<LoggedChange> EventLog::take_changes() {
  std::vector<Change> changes;
  {
    const std::lock_guard lock(mutex_);
    changes.swap(changes_);
  }
  std::vector<LoggedChange> logged;
  logged.reserve(changes.size());
  for (Change& of : changes) {
    std::uint64_t time = 0;
    for (const Event& event : of.events) {
      event.wait();
      const EventTimes times = event.times();
      time = std::max(time, of.is_at_start ? times.start : times.end);
    }
    logged.push_back({std::move(of.change), time});
  }
  return logged;
}

}  // namespace clchol::gpu
