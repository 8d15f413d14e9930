// The drawing of a trace: a lane for each track, bars coloured by name, and what each name took.
#pragma once

#include <string>

#include "solver/trace.hpp"

namespace clchol::cli {

/// An SVG file.  Its size depends on the lanes, not on the events.
/// @param name  of the trace.
/// Throws InvalidArgument for a trace without events.
std::string draw_timeline(const std::string& name, const solver::TraceData& trace);

}  // namespace clchol::cli
