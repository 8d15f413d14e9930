#include "solver/cli/plot/timeline_layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

namespace clchol::cli {
namespace {

using solver::TraceEvent;

double end_of(const TraceEvent& event) { return event.start_s + event.duration_s; }

/// First start and span of all events.
struct Extent {
  double start_s = 0, span_s = 0;

  explicit Extent(const std::vector<TraceEvent>& events) {
    if (events.empty()) return;
    double end = end_of(events.front());
    start_s = events.front().start_s;
    for (const TraceEvent& event : events) {
      start_s = std::min(start_s, event.start_s);
      end = std::max(end, end_of(event));
    }
    span_s = end - start_s;
  }
};

/// The names of the events.
struct NameTable {
  std::vector<TimelineName> names;  // Names in descending order of total duration.
  std::vector<Index> of_event;      // Index in `names` of each event.

  explicit NameTable(const std::vector<TraceEvent>& events) {
    std::map<std::string_view, TimelineName> totals;
    for (const TraceEvent& event : events) {
      TimelineName& total = totals[event.name];
      total.seconds += event.duration_s;
      ++total.count;
    }
    for (auto& [name, total] : totals) {
      total.name = name;
      names.push_back(total);
    }
    std::stable_sort(names.begin(), names.end(), [](const TimelineName& a, const TimelineName& b) {
      return a.seconds > b.seconds;
    });
    std::map<std::string_view, Index> places;
    for (const TimelineName& name : names)
      places.emplace(name.name, static_cast<Index>(places.size()));
    for (const TraceEvent& event : events) of_event.push_back(places.at(event.name));
  }
};

/// Builds the rows of bars of one track.  Events must be added in ascending order of their starts,
/// longer events first.
class LaneBuilder {
 public:
  LaneBuilder(solver::TraceTrack track, double resolution_s) : resolution_s_(resolution_s) {
    lane_.track = std::move(track);
  }

  void add(TimelineBar bar) {
    while (!open_ends_.empty() && open_ends_.back() <= bar.start_s) open_ends_.pop_back();
    bar.depth = static_cast<Index>(open_ends_.size());
    open_ends_.push_back(bar.end_s);
    if (bar.depth >= std::ssize(last_in_row_)) last_in_row_.resize(open_ends_.size(), kNone);
    Index& last = last_in_row_[bar.depth];
    if (last != kNone && is_absorbed(bar, lane_.bars[last])) return;
    last = static_cast<Index>(lane_.bars.size());
    lane_.bars.push_back(bar);
  }

  TimelineLane take() {
    lane_.depth = static_cast<Index>(last_in_row_.size());
    return std::move(lane_);
  }

 private:
  /// Whether the previous bar of the row also represents `bar`.  Prolongs the previous bar if it
  /// has the same name.
  bool is_absorbed(const TimelineBar& bar, TimelineBar& before) const {
    // A bar is drawn at least as wide as the resolution.
    const double drawn_end = std::max(before.end_s, before.start_s + resolution_s_);
    if (bar.name == before.name && bar.start_s < drawn_end + resolution_s_) {
      before.end_s = std::max(before.end_s, bar.end_s);
      return true;
    }
    return bar.start_s < drawn_end && bar.end_s - bar.start_s < resolution_s_;
  }

  double resolution_s_;
  TimelineLane lane_;
  std::vector<double> open_ends_;   // Ends of the nested events that are open, outermost first.
  std::vector<Index> last_in_row_;  // Index of the last bar of each row.
};

/// @return the indices of the events, sorted by process, track, start, and descending duration.
std::vector<std::size_t> drawing_order(const solver::TraceData& trace) {
  // Number of each process, in the order of the processes' first tracks.
  std::map<std::string_view, Index> process_rank;
  for (const solver::TraceTrack& track : trace.tracks) {
    process_rank.emplace(track.process, static_cast<Index>(process_rank.size()));
  }
  std::vector<std::size_t> order(trace.events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t k) {
    const TraceEvent& event = trace.events[k];
    const auto& track = trace.tracks[static_cast<std::size_t>(event.track)];
    return std::tuple(process_rank.at(track.process), event.track, event.start_s,
                      -event.duration_s);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

/// Builds the area of one counter.
TimelineArea area_of(const solver::TraceCounter& counter, const Extent& extent,
                     double resolution_s) {
  TimelineArea area{.process = counter.process, .name = counter.name, .budget = counter.budget};
  std::vector<TimelineStep>& steps = area.steps;
  Offset level = 0;     // Bytes in use since the last sample.
  double step_end = 0;  // End of the shortest step that begins with the last step.
  for (const solver::TraceCounter::Sample& sample : counter.samples) {
    const double time = std::clamp(sample.time_s - extent.start_s, 0.0, extent.span_s);
    area.peak = std::max(area.peak, sample.bytes);
    if (!steps.empty() && time < step_end) {
      steps.back().bytes = std::max(steps.back().bytes, sample.bytes);
    } else {
      // The level before this sample may be less than the last step's, which has the greatest.
      if (!steps.empty() && time > step_end) steps.push_back({step_end, level});
      steps.push_back({time, sample.bytes});
      step_end = time + resolution_s;
    }
    level = sample.bytes;
  }
  if (!steps.empty() && step_end < extent.span_s) steps.push_back({step_end, level});
  const auto is_repeated = [](const TimelineStep& a, const TimelineStep& b) {
    return a.bytes == b.bytes;
  };
  steps.erase(std::unique(steps.begin(), steps.end(), is_repeated), steps.end());
  return area;
}

}  // namespace

TimelineLayout lay_out(const solver::TraceData& trace, double relative_resolution) {
  const Extent extent(trace.events);
  NameTable table(trace.events);
  TimelineLayout layout{.span_s = extent.span_s};
  const std::vector<std::size_t> order = drawing_order(trace);
  for (std::size_t k = 0; k < order.size();) {
    const Index track = trace.events[order[k]].track;
    LaneBuilder builder(trace.tracks[static_cast<std::size_t>(track)],
                        relative_resolution * extent.span_s);
    for (; k < order.size() && trace.events[order[k]].track == track; ++k) {
      const TraceEvent& event = trace.events[order[k]];
      builder.add({.name = table.of_event[order[k]],
                   .start_s = event.start_s - extent.start_s,
                   .end_s = end_of(event) - extent.start_s});
    }
    layout.lanes.push_back(builder.take());
  }
  for (const solver::TraceCounter& counter : trace.counters) {
    layout.areas.push_back(area_of(counter, extent, relative_resolution * extent.span_s));
  }
  layout.names = std::move(table.names);
  return layout;
}

}  // namespace clchol::cli
