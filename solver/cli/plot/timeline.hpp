// Draws a trace (solver/trace/trace.hpp) as a timeline.  Each track of the trace has a lane, in
// which each event is a bar.  Events of the same name have the same colour.  Below the lanes, each
// counter of the trace is an area of steps, the bytes in use over time, with a line at its budget.
// A legend shows the total time of each name.
#pragma once

#include <string>

#include "solver/trace/trace.hpp"

namespace clchol::cli {

/// @return the content of an SVG file.  Short events are merged (timeline_layout.hpp), so the size
///         of the file depends on the number of lanes and counters, not on the number of events.
/// @param name  name of the trace.
/// Throws InvalidArgument for a trace without events.
std::string draw_timeline(const std::string& name, const solver::TraceData& trace);

}  // namespace clchol::cli
