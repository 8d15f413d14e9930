#include "solver/trace/host_trace.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "solver/device/access.hpp"

namespace clchol::solver {

using Seconds = std::chrono::duration<double>;

template <class T>
void set_host_log(SparseCholesky<T>& solver, HostLog* log) {
  opencl::Access::impl(solver).factorization.log = log;
}

void add_host_work(std::span<const HostWork> work, const std::string& process, Trace& trace) {
  // Makes the tracks in the order of their names, whichever thread was the first to work.
  std::set<std::string_view> lanes;
  for (const HostWork& piece : work) lanes.insert(piece.lane);
  for (const std::string_view lane : lanes) trace.track(process, std::string(lane));
  for (const HostWork& piece : work) {
    TraceEvent event{.name = piece.name,
                     .category = "host",
                     .track = trace.track(process, piece.lane),
                     .start_s = Seconds(piece.begin - trace.zero()).count(),
                     .duration_s = Seconds(piece.end - piece.begin).count()};
    if (piece.bytes > 0) event.arguments.emplace_back("bytes", piece.bytes);
    trace.add(std::move(event));
  }
}

std::vector<TraceChange> take_changes(HostLog& log, const Trace& trace) {
  std::vector<TraceChange> changes;
  for (HostLog::TimedChange& of : log.take_changes()) {
    changes.push_back({Seconds(of.time - trace.zero()).count(), std::move(of.change)});
  }
  return changes;
}

void add_host_log(HostLog& log, const std::string& process, Trace& trace) {
  add_host_work(log.take_work(), process, trace);
  add_memory(take_changes(log, trace), log.budgets(), process, trace);
}

template void set_host_log(SparseCholesky<double>&, HostLog*);
template void set_host_log(SparseCholesky<float>&, HostLog*);

}  // namespace clchol::solver
