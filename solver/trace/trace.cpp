#include "solver/trace/trace.hpp"

#include <algorithm>

namespace clchol::solver {

Index Trace::track(const std::string& process, const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::vector<TraceTrack>& tracks = data_.tracks;
  const TraceTrack wanted{process, name};
  const auto found = std::find(tracks.begin(), tracks.end(), wanted);
  const auto index = static_cast<Index>(found - tracks.begin());
  if (found == tracks.end()) tracks.push_back(wanted);
  return index;
}

void Trace::add(TraceEvent event) {
  const std::lock_guard lock(mutex_);
  const auto count = static_cast<Index>(data_.tracks.size());
  if (event.track < 0 || event.track >= count) {
    throw InvalidArgument("event '" + event.name + "': track " + std::to_string(event.track) +
                          ", the trace has " + std::to_string(count));
  }
  data_.events.push_back(std::move(event));
}

void Trace::add(TraceCounter counter) {
  const std::lock_guard lock(mutex_);
  data_.counters.push_back(std::move(counter));
}

TraceData Trace::data() const {
  const std::lock_guard lock(mutex_);
  return data_;
}

}  // namespace clchol::solver
