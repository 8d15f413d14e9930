#include "solver/cli/trace_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "clchol/clchol.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/output.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::cli {
namespace {

using Json = nlohmann::ordered_json;
using solver::TraceCounter;
using solver::TraceData;
using solver::TraceEvent;
using solver::TraceTrack;

/// Name of the metadata event that has a counter's budget.
constexpr char kBudgetEvent[] = "memory_budget";

// ---- writing ----

/// The numbers of a track in the file.
struct TrackNumbers {
  int pid = 0, tid = 0;
};

/// Numbers of the processes and tracks of a trace.
class TraceNumbers {
 public:
  /// Numbers the processes in the order of their first tracks, and the tracks within their process.
  explicit TraceNumbers(const TraceData& trace) {
    for (const TraceTrack& track : trace.tracks) {
      TrackNumbers& last = last_of(track.process);
      ++last.tid;
      tracks_.push_back(last);
    }
  }

  const std::vector<TrackNumbers>& tracks() const { return tracks_; }
  /// @return the number `pid` of a process, which may have no tracks; its `tid` is 0.
  TrackNumbers process(const std::string& name) { return {last_of(name).pid, 0}; }

 private:
  TrackNumbers& last_of(const std::string& process) {
    const auto [found, is_new] = last_.try_emplace(process);
    if (is_new) found->second.pid = static_cast<int>(last_.size());
    return found->second;
  }

  std::map<std::string, TrackNumbers> last_;  // The pid and the last tid of each process.
  std::vector<TrackNumbers> tracks_;
};

/// Converts seconds to microseconds, rounded to nanoseconds.
double microseconds(double seconds) { return std::round(seconds * 1e9) / 1e3; }

Json name_event(const char* what, const TrackNumbers& track, const std::string& name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", track.pid},
          {"tid", track.tid},
          {"args", {{"name", name}}}};
}

Json complete_event(const TraceEvent& event, const TrackNumbers& track) {
  Json arguments = Json::object();
  for (const auto& [name, value] : event.arguments) {
    std::visit([&json = arguments[name]](const auto& v) { json = v; }, value);
  }
  return {{"name", event.name},
          {"cat", event.category},
          {"ph", "X"},
          {"ts", microseconds(event.start_s)},
          {"dur", microseconds(event.duration_s)},
          {"pid", track.pid},
          {"tid", track.tid},
          {"args", std::move(arguments)}};
}

Json counter_event(const TraceCounter& counter, const TraceCounter::Sample& sample,
                   const TrackNumbers& process) {
  return {{"name", counter.name},
          {"cat", "memory"},
          {"ph", "C"},
          {"ts", microseconds(sample.time_s)},
          {"pid", process.pid},
          {"args", {{"bytes", sample.bytes}}}};
}

Json budget_event(const TraceCounter& counter, const TrackNumbers& process) {
  return {{"name", kBudgetEvent},
          {"ph", "M"},
          {"pid", process.pid},
          {"args", {{"name", counter.name}, {"bytes", *counter.budget}}}};
}

/// Writes the elements of the array of events, one per line.
class EventWriter {
 public:
  explicit EventWriter(solver::OutputFile& file) : file_(file) {}
  void put(const Json& event) {
    file_.append(std::exchange(is_first_, false) ? "\n" : ",\n");
    file_.append(event.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

 private:
  solver::OutputFile& file_;
  bool is_first_ = true;
};

// ---- reading ----

/// @return a string, or a number as text.  Processes and threads are identified by either.
std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

std::string id_of(const Json& event, const char* name) {
  const auto found = event.find(name);
  return found == event.end() ? "0" : text_of(*found);
}

class TraceReader {
 public:
  TraceData read(const Json& root) {
    const Json& events = root.is_array() ? root : root.at("traceEvents");
    if (!events.is_array()) throw InvalidArgument("traceEvents is no array");
    for (const Json& event : events) take(event);
    for (TraceTrack& track : data_.tracks) track = named(track);
    // A budget alone is no counter.
    std::erase_if(data_.counters, [](const TraceCounter& of) { return of.samples.empty(); });
    for (TraceCounter& counter : data_.counters) {
      std::ranges::stable_sort(counter.samples, {}, &TraceCounter::Sample::time_s);
      counter.process = process_name(counter.process);
    }
    return std::move(data_);
  }

 private:
  void take(const Json& event) {
    const std::string phase = text_of(event.at("ph"));
    if (phase == "M") take_name(event);
    if (phase == "X") take_complete(event);
    if (phase == "C") take_sample(event);
  }

  void take_name(const Json& event) {
    const std::string what = text_of(event.at("name"));
    const std::string pid = id_of(event, "pid");
    if (what == "process_name") processes_[pid] = text_of(event.at("args").at("name"));
    if (what == kBudgetEvent) {
      const Json& arguments = event.at("args");
      counter_of(pid, text_of(arguments.at("name"))).budget =
          arguments.at("bytes").get<std::int64_t>();
    }
    if (what == "thread_name") {
      threads_[{pid, id_of(event, "tid")}] = text_of(event.at("args").at("name"));
      track_of(event);  // Tracks have the order of their names, not of their first events.
    }
  }

  void take_complete(const Json& event) {
    TraceEvent taken{.name = text_of(event.at("name")), .category = "", .track = track_of(event)};
    if (const auto category = event.find("cat"); category != event.end()) {
      taken.category = text_of(*category);
    }
    taken.start_s = event.at("ts").get<double>() * 1e-6;
    if (const auto duration = event.find("dur"); duration != event.end()) {
      taken.duration_s = duration->get<double>() * 1e-6;
    }
    // JSON has neither NaN nor infinity, but an overflowing number is parsed as infinity.
    if (!std::isfinite(taken.start_s) || !(taken.duration_s >= 0) ||
        !std::isfinite(taken.duration_s)) {
      throw InvalidArgument("event '" + taken.name + "' has no proper time");
    }
    data_.events.push_back(std::move(taken));
  }

  void take_sample(const Json& event) {
    const auto arguments = event.find("args");
    if (arguments == event.end() || !arguments->is_object()) return;
    const auto bytes = arguments->find("bytes");
    if (bytes == arguments->end() || !bytes->is_number_integer()) return;
    const std::string name = text_of(event.at("name"));
    const double time_s = event.at("ts").get<double>() * 1e-6;
    if (!std::isfinite(time_s)) {
      throw InvalidArgument("event '" + name + "' has no proper time");
    }
    counter_of(id_of(event, "pid"), name).samples.push_back({time_s, bytes->get<std::int64_t>()});
  }

  /// @return the counter of a process.  Until the end of read(), processes are named by their
  ///         numbers.
  TraceCounter& counter_of(const std::string& pid, const std::string& name) {
    const auto [found, is_new] = counters_.try_emplace({pid, name}, data_.counters.size());
    if (is_new) data_.counters.push_back({.process = pid, .name = name});
    return data_.counters[found->second];
  }

  /// @return the index of the event's track.  Until the end of read(), tracks are named by their
  ///         numbers, because their names may come after their events.
  Index track_of(const Json& event) {
    const TraceTrack ids{id_of(event, "pid"), id_of(event, "tid")};
    const auto next = static_cast<Index>(data_.tracks.size());
    const auto [found, is_new] = tracks_.try_emplace({ids.process, ids.name}, next);
    if (is_new) data_.tracks.push_back(ids);
    return found->second;
  }

  TraceTrack named(const TraceTrack& ids) const {
    const auto thread = threads_.find({ids.process, ids.name});
    return {process_name(ids.process),
            thread == threads_.end() ? "thread " + ids.name : thread->second};
  }

  std::string process_name(const std::string& id) const {
    const auto process = processes_.find(id);
    return process == processes_.end() ? "process " + id : process->second;
  }

  TraceData data_;
  // Index in TraceData::counters by the number of the process and the counter's name.
  std::map<std::pair<std::string, std::string>, std::size_t> counters_;
  std::map<std::pair<std::string, std::string>, Index> tracks_;
  std::map<std::string, std::string> processes_;
  std::map<std::pair<std::string, std::string>, std::string> threads_;
};

TraceData read_from(solver::TextSource source) {
  std::string text;
  std::array<char, 1 << 16> block;
  for (std::size_t got = block.size(); got == block.size();) {
    got = source.read(block.data(), block.size());
    text.append(block.data(), got);
  }
  try {
    return TraceReader().read(Json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    solver::refuse(source.name(), 0, std::string("no trace in JSON: ") + error.what());
  } catch (const InvalidArgument& error) {
    solver::refuse(source.name(), 0, std::string("no trace: ") + error.what());
  }
}

}  // namespace

void write_trace(const std::string& path, const solver::TraceData& trace,
                 const std::atomic<bool>* cancel) {
  TraceNumbers all_numbers(trace);
  const std::vector<TrackNumbers>& numbers = all_numbers.tracks();
  solver::OutputFile file(path, 1, cancel);
  const Json program = {{"program", std::string("clchol ") + version()}};
  file.append(R"({"displayTimeUnit":"ms","otherData":)" + program.dump() + R"(,"traceEvents":[)");
  EventWriter writer(file);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k].tid == 1) {
      writer.put(name_event("process_name", numbers[k], trace.tracks[k].process));
    }
    writer.put(name_event("thread_name", numbers[k], trace.tracks[k].name));
  }
  for (const TraceEvent& event : trace.events) {
    writer.put(complete_event(event, numbers[static_cast<std::size_t>(event.track)]));
  }
  for (const TraceCounter& counter : trace.counters) {
    const TrackNumbers process = all_numbers.process(counter.process);
    if (counter.budget) writer.put(budget_event(counter, process));
    for (const TraceCounter::Sample& sample : counter.samples) {
      writer.put(counter_event(counter, sample, process));
    }
  }
  file.append("\n]}\n");
  file.commit();
}

solver::TraceData read_trace(const std::string& path) {
  return solver::with_memory_errors(
      path, [&] { return read_from(solver::TextSource(solver::ByteStream::open(path))); });
}

solver::TraceData parse_trace(std::string_view content, const std::string& name) {
  return read_from(solver::TextSource(solver::ByteStream::from_memory(content, name)));
}

}  // namespace clchol::cli
