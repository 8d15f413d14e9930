#include "base/host_log.hpp"

#include <algorithm>
#include <utility>

namespace clchol {

void HostLog::record(HostWork work) {
  const std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
}

void HostLog::record(MemoryChange change, HostWork::Clock::time_point time) {
  const std::lock_guard lock(mutex_);
  changes_.push_back({std::move(change), time});
}

void HostLog::record(const MemoryBudget& budget) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(budgets_, budget.tier, &MemoryBudget::tier);
  if (found == budgets_.end()) {
    budgets_.push_back(budget);
  } else {
    *found = budget;
  }
}

std::vector<HostWork> HostLog::take_work() {
  const std::lock_guard lock(mutex_);
  return std::exchange(work_, {});
}

std::vector<HostLog::TimedChange> HostLog::take_changes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(changes_, {});
}

std::vector<MemoryBudget> HostLog::budgets() const {
  const std::lock_guard lock(mutex_);
  return budgets_;
}

}  // namespace clchol
