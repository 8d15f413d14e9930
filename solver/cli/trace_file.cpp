#include "solver/cli/trace_file.hpp"

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
using solver::TraceData;
using solver::TraceEvent;
using solver::TraceTrack;

// ---- writing ----

/// The numbers of a track in the file.
struct TrackNumbers {
  int pid = 0, tid = 0;
};

/// Numbers the processes in the order of their first tracks, and the tracks within their process.
std::vector<TrackNumbers> number_tracks(const std::vector<TraceTrack>& tracks) {
  std::map<std::string, TrackNumbers> last;  // The pid and the last tid of each process.
  std::vector<TrackNumbers> numbers;
  for (const TraceTrack& track : tracks) {
    const auto [process, is_new] = last.try_emplace(track.process);
    if (is_new) process->second.pid = static_cast<int>(last.size());
    ++process->second.tid;
    numbers.push_back(process->second);
  }
  return numbers;
}

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
    return std::move(data_);
  }

 private:
  void take(const Json& event) {
    const std::string phase = text_of(event.at("ph"));
    if (phase == "M") take_name(event);
    if (phase == "X") take_complete(event);
  }

  void take_name(const Json& event) {
    const std::string what = text_of(event.at("name"));
    const std::string pid = id_of(event, "pid");
    if (what == "process_name") processes_[pid] = text_of(event.at("args").at("name"));
    if (what == "thread_name") {
      threads_[{pid, id_of(event, "tid")}] = text_of(event.at("args").at("name"));
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
    const auto process = processes_.find(ids.process);
    const auto thread = threads_.find({ids.process, ids.name});
    return {process == processes_.end() ? "process " + ids.process : process->second,
            thread == threads_.end() ? "thread " + ids.name : thread->second};
  }

  TraceData data_;
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
  const std::vector<TrackNumbers> numbers = number_tracks(trace.tracks);
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
