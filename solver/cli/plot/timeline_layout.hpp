// A trace as lanes of bars, no more of them than can be seen.
#pragma once

#include <string>
#include <vector>

#include "solver/trace.hpp"

namespace clchol::cli {

struct TimelineBar {
  Index name = 0;                 // Position in TimelineLayout::names.
  Index depth = 0;                // Of nesting: events that enclose it.
  double start_s = 0, end_s = 0;  // From the first event on.
};

struct TimelineLane {
  solver::TraceTrack track;
  Index depth = 1;                // Rows that its bars need.
  std::vector<TimelineBar> bars;  // By start.
};

/// All events of a name.
struct TimelineName {
  std::string name;
  double seconds = 0;
  Offset count = 0;
};

struct TimelineLayout {
  double span_s = 0;                     // From the first start to the last end.
  std::vector<TimelineName> names = {};  // The most expensive first.
  std::vector<TimelineLane> lanes =
      {};  // By process, in the order of the trace; those with events.
};

/// Within a row of a lane, an event that begins less than the resolution after a bar of its name
/// has ended prolongs it, and one shorter than the resolution that begins below the bar before it
/// is left out: the number of bars is bounded by the resolution.  The names count all events. Cost
/// O(events log(events)).
/// @param relative_resolution  share of the span that is seen as a bar, in (0, 1).
TimelineLayout lay_out(const solver::TraceData& trace, double relative_resolution);

}  // namespace clchol::cli
