// When commands ran: events, and a log of them for benchmarks and traces.
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

/// Nanoseconds of the device's clock.
struct EventTimes {
  std::uint64_t queued = 0;
  std::uint64_t submit = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;

  double seconds() const { return static_cast<double>(end - start) * 1e-9; }
};

/// One command, to be waited for.  An empty event belongs to no command (a transfer of nothing) and
/// is complete.
class Event {
 public:
  Event() = default;
  Event(const Context& context, cl_event owned) : context_(&context), event_(owned) {}

  /// Another reference to the same command.
  Event share() const;
  /// Returns when the command has ended.  Its queue must have been flushed where another thread
  /// waits.  Throws DeviceError when the command failed.
  void wait() const;
  /// Whether the command has ended; its queue must have been flushed, or it may never.  Throws
  /// DeviceError when the command failed.
  bool is_done() const;
  /// Of a complete command; zeros for an empty event.  Throws DeviceError when its queue has no
  /// profiling.
  EventTimes times() const;

  bool empty() const { return !event_; }
  cl_event get() const { return event_.get(); }

 private:
  const Context* context_ = nullptr;
  Handle<cl_event> event_;
};

/// A command of a log.
struct LoggedEvent {
  std::string name;   // Kernel or kind of transfer.
  std::string queue;  // Queue's name.
  EventTimes times;
  std::uint64_t bytes = 0;  // Moved by a transfer; 0 for a kernel.
};

/// Work of the host that commands wait for, on the host's steady clock.
struct HostWork {
  using Clock = std::chrono::steady_clock;

  std::string name;
  Clock::time_point begin, end;
  std::string lane = "host";  ///< The timeline's row: works of one row do not overlap.
};

/// Collects the commands of the queues that are told to (Queue::set_log), and the host's work
/// between them.  Safe to call concurrently.
class EventLog {
 public:
  /// @param bytes  that a transfer moves; 0 for a kernel.
  void record(std::string name, std::string queue, Event event, std::uint64_t bytes = 0);
  /// Waits for all commands so far and returns them in the order recorded; the log is empty then.
  std::vector<LoggedEvent> take();

  void record_host(HostWork work);
  /// In the order recorded; none are left.
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
