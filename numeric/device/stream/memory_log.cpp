#include "numeric/device/stream/memory_log.hpp"

#include <map>
#include <utility>

namespace clchol::numeric {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Records changes of memory that are known in entries.
class Recorder {
 public:
  Recorder(gpu::EventLog& log, Offset value_bytes) : log_(log), value_bytes_(value_bytes) {}

  void at_start(const char* tier, Offset entries, const gpu::Event& event) {
    if (event.empty() || entries == 0) return;
    log_.record_change_at_start(change(tier, entries), event.share());
  }
  /// @param first, second  events that must both have ended.  Null: there is no event.
  void at_end(const char* tier, Offset entries, const gpu::Event* first, const gpu::Event* second) {
    std::vector<gpu::Event> events;
    for (const gpu::Event* const event : {first, second}) {
      if (event != nullptr && !event->empty()) events.push_back(event->share());
    }
    if (!events.empty()) log_.record_change(change(tier, entries), std::move(events));
  }

 private:
  MemoryChange change(const char* tier, Offset entries) const {
    return {.tier = tier, .bytes = entries * value_bytes_};
  }

  gpu::EventLog& log_;
  Offset value_bytes_;
};

}  // namespace

void StreamMemoryLog::begin(const StreamPlan& plan, gpu::Queue& user, Offset value_bytes) {
  begun_.clear();
  ended_.clear();
  if (!user.logging()) return;
  const Offset slots = StreamPlan::slots_entries(plan.num_file_slots, plan.file_chunk);
  std::vector<gpu::Event> now;
  now.push_back(user.timed_marker());
  user.log()->record_change({.tier = kHostTier, .bytes = slots * value_bytes, .is_total = true},
                            std::move(now));
  user.log()->host().record({.tier = kFileTier, .bytes = 0, .is_total = true},
                            HostWork::Clock::now());
}

void StreamMemoryLog::begin_group(gpu::Queue& user) {
  if (user.logging()) begun_.push_back(user.timed_marker());
}

void StreamMemoryLog::end_group(gpu::Queue& user) {
  if (user.logging()) ended_.push_back(user.timed_marker());
}

void StreamMemoryLog::end(const StreamPlan& plan, gpu::Queue& user,
                          const std::vector<gpu::Event>& done, Offset value_bytes) {
  const std::size_t groups = plan.seconds.size();
  if (!user.logging() || begun_.size() != groups || ended_.size() != groups) return;
  Recorder recorder(*user.log(), value_bytes);
  for (const ArenaChange& of : plan.arena_changes) {
    const gpu::Event* const transfer = of.transfer == kNone ? nullptr : &done[at(of.transfer)];
    if (of.entries < 0) {
      const gpu::Event* const kernels = of.group == kNone ? nullptr : &ended_[at(of.group)];
      recorder.at_end(kDeviceTier, of.entries, kernels, transfer);
    } else if (transfer != nullptr) {
      recorder.at_start(kDeviceTier, of.entries, *transfer);
    } else {
      recorder.at_end(kDeviceTier, of.entries, &begun_[at(of.group)], nullptr);
    }
  }
  // Host memory.  An update matrix is in use there until its last transfer to the device has ended.
  std::map<Index, std::pair<Offset, std::size_t>> updates;  // Entries, and the last transfer back.
  for (std::size_t t = 0; t < plan.transfers.size(); ++t) {
    const StreamTransfer& of = plan.transfers[t];
    const bool is_update = of.what == StreamTransfer::What::kUpdate;
    if (!is_update && plan.is_in_file(of.of)) continue;
    if (of.to_host) recorder.at_start(kHostTier, of.entries, done[t]);
    if (!is_update) continue;
    auto& [entries, last] = updates[of.of];
    if (of.to_host) {
      entries += of.entries;
    } else {
      last = t;
    }
  }
  for (const auto& [front, of] : updates) {
    recorder.at_end(kHostTier, -of.first, &done[of.second], nullptr);
  }
  begun_.clear();
  ended_.clear();
}

}  // namespace clchol::numeric
