// Converts a trace (solver/trace/trace.hpp) to lanes of bars, one lane for each track and one bar
// for each event, and merges bars that are too short to be seen.  Events of one track may be
// nested; a lane then has several rows of bars.  Each counter of the trace, the bytes in use in one
// kind of memory, becomes an area of steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solver/trace/trace.hpp"

namespace clchol::cli {

/// A bar: one event, or several events of one name that are drawn as one bar.
struct TimelineBar {
  Index name = 0;  // Index of the event's name in TimelineLayout::names.
  // Row in the lane, counted from 0: the number of events that enclose this event.
  Index depth = 0;
  double start_s = 0, end_s = 0;  // Start and end, in seconds since the first start in the trace.
};

/// The bars of one track.
struct TimelineLane {
  solver::TraceTrack track;       // The track whose events the bars show.
  Index depth = 1;                // Number of rows of bars in the lane.
  std::vector<TimelineBar> bars;  // Bars in ascending order of their starts.
};

/// A step of an area: the bytes in use from a time until the time of the next step.
struct TimelineStep {
  double start_s = 0;  // Start in seconds since the first start in the trace.
  Offset bytes = 0;
};

/// The bytes in use in one kind of memory.
struct TimelineArea {
  std::string process;                // Name of the process: TraceCounter::process.
  std::string name;                   // Name of the counter: TraceCounter::name.
  std::optional<Offset> budget = {};  // Bytes that may be in use.  nullopt: unknown.
  Offset peak = 0;                    // Greatest number of bytes in use.
  // Steps in ascending order of their starts, from 0 to the span of the timeline.  The last step
  // ends at the span.
  std::vector<TimelineStep> steps = {};
};

/// Sums over all events of one name.
struct TimelineName {
  std::string name;    // The name.
  double seconds = 0;  // Sum of the events' durations, in seconds.
  Offset count = 0;    // Number of events.
};

/// The lanes and names of a timeline.
struct TimelineLayout {
  double span_s = 0;                     // Seconds from the first start to the last end.
  std::vector<TimelineName> names = {};  // All names, in descending order of total duration.
  // Lanes of the tracks that have events, process by process (TraceTrack::process: the host or a
  // device).  Processes are in the order of their first tracks in TraceData::tracks.  The lanes of
  // one process are in the order of their tracks in TraceData::tracks.
  std::vector<TimelineLane> lanes = {};
  // Areas of the counters, in the order of TraceData::counters.
  std::vector<TimelineArea> areas = {};
};

/// Lays out a trace.
///
/// The resolution is the shortest length of a bar, in seconds: a shorter bar is drawn with this
/// length.  Not every event gets a bar of its own.  Let B be the last bar before the event in the
/// same row:
/// - If B has the event's name, and the event begins less than the resolution after the drawn end
///   of B, then B is prolonged to the end of the event.
/// - If B has another name, the event is shorter than the resolution, and the event begins before
///   the drawn end of B, then the event has no bar.
/// So the number of bars in a row is bounded.  TimelineName counts all events.
///
/// A step of an area is not shorter than the resolution, except for the last one.  Samples that
/// follow each other sooner share a step, with the greatest of their numbers of bytes, so that the
/// area has the peak of the counter.
/// Cost O(events log(events) + samples).
/// @param relative_resolution  the resolution divided by TimelineLayout::span_s, in (0, 1).
TimelineLayout lay_out(const solver::TraceData& trace, double relative_resolution);

}  // namespace clchol::cli
