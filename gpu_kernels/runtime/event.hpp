// OpenCL events: waiting for commands, times of commands, and a log of commands for benchmarks and
// traces.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/host_log.hpp"
#include "gpu_kernels/runtime/context.hpp"
#include "gpu_kernels/runtime/handle.hpp"

namespace clchol::gpu {

/// Times of a command by the device's clock, in nanoseconds: CL_PROFILING_COMMAND_QUEUED, _SUBMIT,
/// _START and _END of clGetEventProfilingInfo.
struct EventTimes {
  std::uint64_t queued = 0;
  std::uint64_t submit = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;

  /// Seconds from start to end.
  double seconds() const { return static_cast<double>(end - start) * 1e-9; }
};

/// One reference to the OpenCL event of one command.  An Event is empty when there is no command,
/// for example for a transfer of 0 bytes.  An empty Event counts as complete.
class Event {
 public:
  Event() = default;
  /// Takes over the reference `owned`, which the destructor will release.
  Event(const Context& context, cl_event owned) : context_(&context), event_(owned) {}

  /// @return another Event object for the command of this Event.
  Event share() const;
  /// Blocks until the command has ended.  If the calling host thread did not enqueue the command,
  /// the command's queue must have been flushed before.  Throws DeviceError when the command
  /// failed, or has not ended after Context::wait_limit() seconds, or when the device is lost.
  void wait() const;
  /// Blocks as wait() does, but only until `cancel` is true.
  /// @return false when `cancel` was true before the command had ended.
  bool wait_unless(const std::atomic<bool>& cancel) const;
  /// @return whether the command has ended.  The command's queue must have been flushed before:
  /// otherwise the command may never end.  Throws DeviceError when the command failed.
  bool is_done() const;
  /// @return the command's times; zeros for an empty event.  The command must be complete.  Throws
  /// DeviceError when the command's queue has no profiling.
  EventTimes times() const;

  bool empty() const { return !event_; }
  cl_event get() const { return event_.get(); }

 private:
  bool wait_within_limit(const std::atomic<bool>* cancel) const;

  const Context* context_ = nullptr;
  Handle<cl_event> event_;
};

/// A command that a queue has executed, as EventLog::take() returns it.
struct LoggedEvent {
  std::string name;   // Name of the kernel; or "upload", "download", "copy", "fill".
  std::string queue;  // Name of the queue.
  EventTimes times;
  std::uint64_t bytes = 0;  // Bytes that a transfer moves or a fill writes; 0 for a kernel.
};

/// A change of the bytes in use that takes place when a command begins or ends, as
/// EventLog::take_changes() returns it.
struct LoggedChange {
  MemoryChange change;
  std::uint64_t time = 0;  // Time of the change by the device's clock, in nanoseconds.
};

/// A log of commands, of the host's work, and of the bytes in use in each kind of memory.  A queue
/// records its commands in the log that was passed to Queue::set_log().  Thread-safe.
class EventLog {
 public:
  /// Adds a command, which need not be complete.
  /// @param name   name of the kernel; or "upload", "download", "copy", "fill".
  /// @param queue  name of the queue.
  /// @param event  event of the command.
  /// @param bytes  bytes that a transfer moves or a fill writes; 0 for a kernel.
  void record(std::string name, std::string queue, Event event, std::uint64_t bytes = 0);
  /// Waits for all recorded commands and removes them from the log.  Throws DeviceError.
  /// @return the commands in the order of record().
  std::vector<LoggedEvent> take();

  /// Records a change of memory that takes place when all the commands of `events` have ended.
  /// @param events  Events, which need not be complete.  At least one of them is not empty.
  void record_change(MemoryChange change, std::vector<Event> events);
  /// Records a change of memory that takes place when the command of `event` begins.
  void record_change_at_start(MemoryChange change, Event event);
  /// Waits for all commands of changes and removes the changes from the log.  Throws DeviceError.
  /// @return the changes in the order in which they were recorded.
  std::vector<LoggedChange> take_changes();

  /// The log of the host's work and of changes at times of the host.
  HostLog& host() { return host_; }

 private:
  struct Entry {
    std::string name;
    std::string queue;
    Event event;
    std::uint64_t bytes;
  };
  struct Change {
    MemoryChange change;
    std::vector<Event> events;
    bool is_at_start;  // Whether the change takes place when the only command begins.
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<Change> changes_;
  HostLog host_;
};

}  // namespace clchol::gpu
