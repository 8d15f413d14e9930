// Adds to a trace the bytes in use in each kind of memory over time: sums of the changes that a log
// has (base/host_log.hpp).
#pragma once

#include <string>
#include <vector>

#include "base/host_log.hpp"
#include "solver/trace/trace.hpp"

namespace clchol::solver {

/// A change of the bytes in use, with its time in seconds since the trace's zero.
struct TraceChange {
  double time_s = 0;
  MemoryChange change;
};

/// Adds one counter to the trace for each kind of memory of which bytes were in use at some time.
/// The counters are named "device memory", "host memory" and "file".
/// @param changes  changes of the process, in any order.  Of changes at one time, bytes become free
///                 before others come into use.
/// @param budgets  budgets of the process.
/// @param process  name of the process in the trace.
void add_memory(std::vector<TraceChange> changes, const std::vector<MemoryBudget>& budgets,
                const std::string& process, Trace& trace);

}  // namespace clchol::solver
