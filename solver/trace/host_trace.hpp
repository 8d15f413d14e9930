// Adds to a trace what host threads do for a factor beside the computation, and the bytes in use in
// host memory and in the scratch file.
#pragma once

#include <span>
#include <string>

#include "base/host_log.hpp"
#include "clchol/clchol.hpp"
#include "solver/trace/memory_trace.hpp"
#include "solver/trace/trace.hpp"

namespace clchol::solver {

/// Makes the engine of the solver's next factorization, and engines after it, record in `log`
/// (Engine::set_log()).
/// @param log  must exist as long as the solver, or until another log is set and another
///             factorization was made.  Null: engines do not record.
template <class T>
void set_host_log(SparseCholesky<T>& solver, HostLog* log);

/// Adds one event to the trace for each element of `work`: time in which a host thread worked or
/// waited.  The event is on the track HostWork::lane of the process `process`, and has the category
/// "host".  Its argument `bytes` is HostWork::bytes, if the work moves bytes.
void add_host_work(std::span<const HostWork> work, const std::string& process, Trace& trace);

/// Removes the changes of memory from the log.
/// @return the changes, with their times on the axis of the trace.
std::vector<TraceChange> take_changes(HostLog& log, const Trace& trace);

/// Moves all work and all changes of memory from the log to the process `process` of the trace.
void add_host_log(HostLog& log, const std::string& process, Trace& trace);

}  // namespace clchol::solver
