// Writes and reads traces in the Trace Event Format, which Perfetto and chrome://tracing load.
//
// The file is a JSON object whose member `traceEvents` is an array of events.  The format has
// several kinds of events; the member "ph" tells the kind.  Each event of the trace (TraceEvent) is
// a complete event ("ph": "X", with its start `ts` and its duration `dur` in microseconds).
// Metadata events ("ph": "M") name processes and threads.  Each process of the trace has a number
// `pid`; each track is a thread, with a number `tid` in its process.  Both numbers count from 1.
//
// Each sample of a counter (TraceCounter) is a counter event ("ph": "C", with its time `ts` and
// with the argument `bytes`), whose name is the counter's.  A metadata event "memory_budget" of the
// process has the arguments `name`, the counter's name, and `bytes`, the counter's budget. Programs
// that do not know this name ignore the event.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "solver/trace/trace.hpp"

namespace clchol::cli {

/// Writes a trace to the file `path`, compressed by gzip if `path` ends in ".gz".  On failure,
/// `path` keeps its former content.
/// @param cancel  flag of the caller.  When it is true, a write to a pipe that nobody reads fails.
///                Null: no flag.
/// Throws InvalidArgument, which names the file, if the file cannot be written.
void write_trace(const std::string& path, const solver::TraceData& trace,
                 const std::atomic<bool>* cancel = nullptr);

/// Reads a trace that clchol or another program has written: an object with `traceEvents`, or an
/// array of events.  The result has the complete events, without their arguments, and the counters
/// whose events have the argument `bytes`.  A track that has no name in the file gets its number as
/// name.
/// Throws InvalidArgument, which names the file, if the file cannot be read or is no trace.
solver::TraceData read_trace(const std::string& path);
/// Does what read_trace() does, for the content of a file that is in memory.
/// @param name  name of the file, for messages.
solver::TraceData parse_trace(std::string_view content, const std::string& name);

}  // namespace clchol::cli
