// Traces as files in the Trace Event Format, which Perfetto and chrome://tracing load.
//
// An object with `traceEvents`: one complete event ("ph": "X", `ts` and `dur` in microseconds) for
// each event, and metadata events ("ph": "M") that name processes and threads.  A process of the
// trace is a `pid`, a track a `tid` of it, both counted from 1.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "solver/trace.hpp"

namespace clchol::cli {

/// The file appears whole or not at all; a name that ends in ".gz" is compressed.
/// @param cancel  once true, a pipe that takes nothing is given up; null: never.
/// Throws InvalidArgument, naming the file, when it cannot be written.
void write_trace(const std::string& path, const solver::TraceData& trace,
                 const std::atomic<bool>* cancel = nullptr);

/// Reads such a file, an object or a plain array of events, also of other programs: of events only
/// complete ones are kept, of arguments none; tracks without names are called by their numbers.
/// Throws InvalidArgument, naming the file, when it cannot be read or is none.
solver::TraceData read_trace(const std::string& path);
/// The same from a file's content; `name` stands for the file in messages.
solver::TraceData parse_trace(std::string_view content, const std::string& name);

}  // namespace clchol::cli
