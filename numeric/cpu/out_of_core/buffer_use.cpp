#include "numeric/cpu/out_of_core/buffer_use.hpp"

#include <utility>

#include "base/update_layout.hpp"

namespace clchol::numeric {

SlabTransfers::Watch StoreLog::watch(std::function<bool(const SlabTransfers::Moved&)> stays) const {
  if (log == nullptr) return {};
  return [to = log, stays = std::move(stays)](const SlabTransfers::Moved& block) {
    if (block.is_write) {
      if (!stays || !stays(block)) {
        to->record({.tier = kHostTier, .bytes = -block.bytes}, block.end);
      }
      to->record({.tier = kFileTier, .bytes = block.bytes}, block.end);
    }
    to->record(SlabTransfers::work_of(block));
  };
}

void StoreLog::change(Offset bytes) const {
  if (log == nullptr) return;
  log->record({.tier = kHostTier, .bytes = bytes}, HostWork::Clock::now());
}

void StoreLog::begin(Offset buffer_bytes) const {
  if (log == nullptr) return;
  const HostWork::Clock::time_point now = HostWork::Clock::now();
  log->record({.tier = kHostTier, .bytes = other_bytes + buffer_bytes, .is_total = true}, now);
  log->record({.tier = kFileTier, .bytes = 0, .is_total = true}, now);
}

BufferUse buffer_use(const OutOfCorePlan& plan, const symbolic::SymbolicFactor& factor,
                     int threads) {
  const Index groups = plan.groups.size();
  BufferUse use{std::vector<Offset>(groups), std::vector<Offset>(groups)};
  std::vector<char> is_spilled(factor.nsuper, 0);
  for (const SpilledUpdate& of : plan.spilled) {
    is_spilled[of.front] = 1;
    use.taken[of.made] += of.size;
    if (of.fetched == kNone) continue;
    use.taken[of.fetched] += of.size;
    use.freed[of.needed] += of.size;
  }
  for (Index g = 0; g < groups; ++g) {
    const Offset arenas = plan.arena_entries(g, threads) + 2 * plan.slot_size[g];
    use.taken[g] += plan.slab_size[g] + arenas;
    use.freed[g] += arenas;
    if (!plan.groups[g].strip.is_none()) continue;  // What a strip leaves is spilled.
    for (const Index s : plan.groups[g].top) {
      const Index parent = factor.super_parent[s];
      if (is_spilled[s] != 0 || !plan.groups.outlives_group(s, parent)) continue;
      use.taken[g] += update_size(factor.nupd(s));
      use.freed[plan.groups.group_of_top(parent)] += update_size(factor.nupd(s));
    }
  }
  return use;
}

}  // namespace clchol::numeric
