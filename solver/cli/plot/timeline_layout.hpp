// Converts a trace to lanes of bars, and merges bars that are too short to be seen.
#pragma once

#include <string>
#include <vector>

#include "solver/trace.hpp"

namespace clchol::cli {

struct TimelineBar {
  Index name = 0;                 // Index in TimelineLayout::names.
  Index depth = 0;                // Row in the lane: the number of events that enclose the event.
  double start_s = 0, end_s = 0;  // Seconds since the start of the first event.
};

struct TimelineLane {
  solver::TraceTrack track;
  Index depth = 1;                // Number of rows of bars.
  std::vector<TimelineBar> bars;  // Bars in ascending order of their starts.
};

/// All events of one name.
struct TimelineName {
  std::string name;
  double seconds = 0;  // Total duration in seconds.
  Offset count = 0;    // Number of events.
};

struct TimelineLayout {
  double span_s = 0;                     // Seconds from the first start to the last end.
  std::vector<TimelineName> names = {};  // Names in descending order of total duration.
  // Lanes of the tracks that have events, by process, in the order of the trace.
  std::vector<TimelineLane> lanes = {};
};

/// Lays out a trace.  The resolution bounds the number of bars in each row of a lane:
/// - an event that begins less than the resolution after the end of a bar of its name prolongs that
///   bar;
/// - an event shorter than the resolution that begins under the drawing of the bar before it is
///   left out.
/// The totals of the names count all events.  Cost O(events log(events)).
/// @param relative_resolution  the resolution divided by the span, in (0, 1).
TimelineLayout lay_out(const solver::TraceData& trace, double relative_resolution);

}  // namespace clchol::cli
