// Draws a trace: a lane for each track, bars coloured by name, and the total time of each name.
#pragma once

#include <string>

#include "solver/trace.hpp"

namespace clchol::cli {

/// @return an SVG file.  Its size depends on the number of lanes, not on the number of events.
/// @param name  name of the trace.
/// Throws InvalidArgument for a trace without events.
std::string draw_timeline(const std::string& name, const solver::TraceData& trace);

}  // namespace clchol::cli
