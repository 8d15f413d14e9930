// OpenCL events: waiting for commands, times of commands, and a log of commands for benchmarks and
// traces.
#pragma once

#include <CL/cl.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

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
  /// failed.
  void wait() const;
  /// @return whether the command has ended.  The command's queue must have been flushed before:
  /// otherwise the command may never end.  Throws DeviceError when the command failed.
  bool is_done() const;
  /// @return the command's times; zeros for an empty event.  The command must be complete.  Throws
  /// DeviceError when the command's queue has no profiling.
  EventTimes times() const;

  bool empty() const { return !event_; }
  cl_event get() const { return event_.get(); }

 private:
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

/// A range of time in which a host thread works or waits, for example for a read from the scratch
/// file.  Timelines show such ranges beside the commands.
struct HostWork {
  using Clock = std::chrono::steady_clock;

  std::string name;
  Clock::time_point begin, end;
  /// Name of the row of the timeline that shows this work.  Work that is shown in one row must not
  /// overlap in time.
  std::string lane = "host";
};

/// A log of commands and of the host's work.  A queue records its commands in the log that was
/// passed to Queue::set_log().  Thread-safe.
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

  /// Adds work of the host.
  void record_host(HostWork work);
  /// Removes the host's work from the log.
  /// @return the host's work in the order of record_host().
  std::vector<HostWork> take_host();

 private:
  struct Entry {
    std::string name;
    std::string queue;
    Event event;
    std::uint64_t bytes;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<HostWork> host_;
};

}  // namespace clchol::gpu
