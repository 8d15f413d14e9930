// Events of commands: to wait for, with times, and in a log for benchmarks and traces.
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

/// Times of a command, in nanoseconds of the device's clock.
struct EventTimes {
  std::uint64_t queued = 0;
  std::uint64_t submit = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;

  double seconds() const { return static_cast<double>(end - start) * 1e-9; }
};

/// The event of one command.  An empty event has no command (a transfer of 0 bytes) and is
/// complete.
class Event {
 public:
  Event() = default;
  /// Takes over the reference `owned`.
  Event(const Context& context, cl_event owned) : context_(&context), event_(owned) {}

  /// Another reference to the same command.
  Event share() const;
  /// Blocks until the command has ended.  When a thread waits that did not enqueue the command, the
  /// queue must have been flushed.  Throws DeviceError when the command failed.
  void wait() const;
  /// Whether the command has ended.  Its queue must have been flushed, since a command may never
  /// end otherwise.  Throws DeviceError when the command failed.
  bool is_done() const;
  /// Times of the command, which must be complete; zeros for an empty event.  Throws DeviceError
  /// when its queue has no profiling.
  EventTimes times() const;

  bool empty() const { return !event_; }
  cl_event get() const { return event_.get(); }

 private:
  const Context* context_ = nullptr;
  Handle<cl_event> event_;
};

/// A command in a log.
struct LoggedEvent {
  std::string name;   // Name of the kernel, or kind of transfer.
  std::string queue;  // Name of the queue.
  EventTimes times;
  std::uint64_t bytes = 0;  // Bytes that a transfer moves; 0 for a kernel.
};

/// Work of the host that commands wait for, with times of the host's steady clock.
struct HostWork {
  using Clock = std::chrono::steady_clock;

  std::string name;
  Clock::time_point begin, end;
  std::string lane = "host";  ///< Row of a timeline, in which entries do not overlap.
};

/// Collects commands of the queues that have this log (Queue::set_log), and the host's work between
/// commands.  Safe to call concurrently.
class EventLog {
 public:
  /// @param bytes  bytes that a transfer moves; 0 for a kernel.
  void record(std::string name, std::string queue, Event event, std::uint64_t bytes = 0);
  /// Waits for all recorded commands, returns them in the order recorded, and removes them.
  std::vector<LoggedEvent> take();

  void record_host(HostWork work);
  /// Returns the host's work in the order recorded, and removes it.
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
