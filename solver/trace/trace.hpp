// Records named time intervals (events) on tracks, for a timeline of a run.
//
// A track is a row of the timeline: the phases of the host, or a queue of a device.  The host and
// each device are called the processes of a trace, as in the format of trace files; each track
// belongs to one process.  Times are seconds on the host's steady clock, counted from the moment
// when the trace was made (its zero).
//
// A counter is a number of bytes that are in use in one kind of memory of a process, over time.
// solver/cli/trace_file.hpp writes and reads traces.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace clchol::solver {

/// A named number or text of an event, such as the bytes of a transfer or a queueing time.
using TraceArgument = std::pair<std::string, std::variant<std::int64_t, double, std::string>>;

struct TraceEvent {
  std::string name;       // Name of the phase, of the kernel, or of the kind of transfer.
  std::string category;   // "phase", "case", "kernel", "transfer" or "host".
  Index track = 0;        // Index of the track in TraceData::tracks.
  double start_s = 0;     // Start in seconds since the trace's zero.
  double duration_s = 0;  // Duration in seconds.
  std::vector<TraceArgument> arguments = {};
};

struct TraceTrack {
  std::string process;  // Name of the process to which the track belongs: "host", or a device.
  std::string name;     // Name of the track, unique within its process.

  bool operator==(const TraceTrack&) const = default;
};

/// The bytes in use in one kind of memory, over time.
struct TraceCounter {
  struct Sample {
    double time_s = 0;       // Seconds since the trace's zero.
    std::int64_t bytes = 0;  // Bytes in use from this time until the time of the next sample.
  };
  std::string process = {};  // Name of the process, as in TraceTrack.
  std::string name = {};     // "device memory", "host memory" or "file".
  // Bytes that may be in use; for a file, bytes that are reserved on the disk.  nullopt: unknown.
  std::optional<std::int64_t> budget = {};
  std::vector<Sample> samples = {};  // Samples in ascending order of their times.
};

struct TraceData {
  std::vector<TraceTrack> tracks;  // Tracks in the order in which they were first named.
  std::vector<TraceEvent> events;  // Events in any order.
  std::vector<TraceCounter> counters = {};
};

/// Collects events.  Safe to call concurrently.
class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Sets the zero to the present time.
  Trace() = default;
  Clock::time_point zero() const { return zero_; }
  /// Seconds since zero().
  double now() const { return std::chrono::duration<double>(Clock::now() - zero_).count(); }

  /// @return the index of the track; creates the track at the first call with its names.
  Index track(const std::string& process, const std::string& name);
  /// Adds an event.  Throws InvalidArgument for a track that track() has not returned.
  void add(TraceEvent event);
  void add(TraceCounter counter);
  /// @return a copy of the tracks, events and counters collected so far.
  TraceData data() const;

 private:
  const Clock::time_point zero_ = Clock::now();
  mutable std::mutex mutex_;
  TraceData data_;
};

}  // namespace clchol::solver
