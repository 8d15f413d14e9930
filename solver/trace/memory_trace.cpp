#include "solver/trace/memory_trace.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace clchol::solver {
namespace {

std::string counter_name(std::string_view tier) {
  if (tier == kDeviceTier) return "device memory";
  return tier == kHostTier ? "host memory" : std::string(tier);
}

/// The sums of changes of one kind of memory, which are in ascending order of their times.
std::vector<TraceCounter::Sample> samples_of(const std::vector<TraceChange>& changes,
                                             std::string_view tier) {
  std::vector<TraceCounter::Sample> samples;
  std::int64_t bytes = 0;
  for (const TraceChange& of : changes) {
    if (of.change.tier != tier) continue;
    bytes = of.change.is_total ? of.change.bytes : bytes + of.change.bytes;
    if (samples.empty() || samples.back().time_s < of.time_s) samples.push_back({of.time_s, bytes});
    samples.back().bytes = bytes;
  }
  return samples;
}

}  // namespace

void add_memory(std::vector<TraceChange> changes, const std::vector<MemoryBudget>& budgets,
                const std::string& process, Trace& trace) {
  const auto order = [](const TraceChange& of) {
    return std::tuple(of.time_s, !of.change.is_total, of.change.bytes > 0);
  };
  std::ranges::stable_sort(changes, {}, order);
  for (const char* const tier : {kDeviceTier, kHostTier, kFileTier}) {
    TraceCounter counter{.process = process, .name = counter_name(tier)};
    counter.samples = samples_of(changes, tier);
    if (std::ranges::none_of(counter.samples, [](const auto& s) { return s.bytes > 0; })) continue;
    const auto budget = std::ranges::find(budgets, tier, &MemoryBudget::tier);
    if (budget != budgets.end()) counter.budget = budget->bytes;
    trace.add(std::move(counter));
  }
}

}  // namespace clchol::solver
