// Writes and reads traces in the Trace Event Format, which Perfetto and chrome://tracing load.
//
// The file is a JSON object with `traceEvents`.  Each event of the trace is a complete event
// ("ph": "X", `ts` and `dur` in microseconds).  Metadata events ("ph": "M") name processes and
// threads.  Each process of the trace has a `pid`, and each track has a `tid` within its process;
// both count from 1.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "solver/trace.hpp"

namespace clchol::cli {

/// Writes a trace.  The file appears whole or not at all.  If its name ends in ".gz", it is
/// compressed.
/// @param cancel  once true, writing to a pipe that accepts no bytes fails; null: never.
/// Throws InvalidArgument, naming the file, if it cannot be written.
void write_trace(const std::string& path, const solver::TraceData& trace,
                 const std::atomic<bool>* cancel = nullptr);

/// Reads a trace of clchol or of another program: an object with `traceEvents`, or an array of
/// events.  Keeps only complete events, without their arguments.  Tracks without names are named by
/// their numbers.
/// Throws InvalidArgument, naming the file, if it cannot be read or is no trace.
solver::TraceData read_trace(const std::string& path);
/// read_trace() for the content of a file in memory.  @param name  the file's name in messages.
solver::TraceData parse_trace(std::string_view content, const std::string& name);

}  // namespace clchol::cli
