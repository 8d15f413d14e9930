// What ran when: named intervals on tracks, for a timeline of a run.
//
// A track is a line of the timeline: the host's phases, a queue of a device.  Times are seconds
// from the trace's zero, on the host's steady clock.  solver/cli/trace_file.hpp writes and reads
// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace clchol::solver {

/// A named number or text of an event: bytes moved, times of queueing.
using TraceArgument = std::pair<std::string, std::variant<std::int64_t, double, std::string>>;

struct TraceEvent {
  std::string name;      // Phase, kernel, kind of transfer.
  std::string category;  // "phase", "kernel", "transfer".
  Index track = 0;       // Position in TraceData::tracks.
  double start_s = 0;
  double duration_s = 0;
  std::vector<TraceArgument> arguments = {};
};

struct TraceTrack {
  std::string process;  // The host, a device.
  std::string name;     // Of the track: unique within its process.

  bool operator==(const TraceTrack&) const = default;
};

struct TraceData {
  std::vector<TraceTrack> tracks;
  std::vector<TraceEvent> events;  // In any order.
};

/// Collects events.  Safe to call concurrently.
class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Its zero is now.
  Trace() = default;
  Clock::time_point zero() const { return zero_; }
  /// Seconds since the zero.
  double now() const { return std::chrono::duration<double>(Clock::now() - zero_).count(); }

  /// The track of that name, made at its first use.
  Index track(const std::string& process, const std::string& name);
  /// Throws InvalidArgument for a track that track() has not returned.
  void add(TraceEvent event);
  /// A copy of what was collected.
  TraceData data() const;

 private:
  const Clock::time_point zero_ = Clock::now();
  mutable std::mutex mutex_;
  TraceData data_;
};

}  // namespace clchol::solver
