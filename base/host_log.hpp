// A log of what host threads do for a factor while it is computed and used, and of the bytes that
// are in use in each kind of memory.  Timelines show the content of a log.  Nothing is recorded
// unless somebody wants a timeline.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace clchol {

/// A range of time in which a host thread works or waits, for example for a read from the scratch
/// file.
struct HostWork {
  using Clock = std::chrono::steady_clock;

  std::string name;
  Clock::time_point begin, end;
  /// Name of the row of the timeline that shows this work.  Work that is shown in one row must not
  /// overlap in time.
  std::string lane = "host";
  std::int64_t bytes = 0;  ///< Bytes that the work moves.  0: the work moves no bytes.
};

/// Names of kinds of memory in MemoryChange::tier and MemoryBudget::tier.
inline constexpr char kDeviceTier[] = "device", kHostTier[] = "host", kFileTier[] = "file";

/// A change, at one time, of the bytes that are in use in one kind of memory.
struct MemoryChange {
  std::string tier;        ///< Kind of memory.
  std::int64_t bytes = 0;  ///< Bytes that come into use; negative: bytes that become free.
  /// true: from this time on, `bytes` is the number of all bytes in use, whatever was in use
  /// before.
  bool is_total = false;
};

/// Greatest number of bytes that may be in use in one kind of memory.
struct MemoryBudget {
  std::string tier;
  std::int64_t bytes = 0;
};

/// The log.  Thread-safe.
class HostLog {
 public:
  /// A change with its time.
  struct TimedChange {
    MemoryChange change;
    HostWork::Clock::time_point time;
  };

  void record(HostWork work);
  /// Records a change that takes place at the time `time`.
  void record(MemoryChange change, HostWork::Clock::time_point time);
  /// Records a budget.  Replaces an earlier budget of this kind of memory.
  void record(const MemoryBudget& budget);

  /// Removes the work from the log.
  /// @return the work in the order of record().
  std::vector<HostWork> take_work();
  /// Removes the changes from the log.
  /// @return the changes in the order of record().
  std::vector<TimedChange> take_changes();
  /// @return the budgets.
  std::vector<MemoryBudget> budgets() const;

 private:
  mutable std::mutex mutex_;
  std::vector<HostWork> work_;
  std::vector<TimedChange> changes_;
  std::vector<MemoryBudget> budgets_;
};

/// Calls f().  If `log` is not null, records the duration of f() as work with the name `name`, in
/// the row "host".
template <class F>
void log_work(HostLog* log, const char* name, const F& f) {
  if (log == nullptr) {
    f();
    return;
  }
  const HostWork::Clock::time_point begin = HostWork::Clock::now();
  f();
  log->record({.name = name, .begin = begin, .end = HostWork::Clock::now(), .lane = "host"});
}

}  // namespace clchol
