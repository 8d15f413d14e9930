#include "numeric/cpu/out_of_core/grouped_factor.hpp"

#include <algorithm>
#include <numeric>

#include "base/update_layout.hpp"
#include "numeric/dense/kernels.hpp"
#include "numeric/file/slab_file.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Number of the file's blocks in a slot, unless an update matrix has fewer blocks, or a block
/// column of an update matrix occupies more.
constexpr Offset kSlotBlocks = 4;

/// Bytes of a slot that has room for any `bytes` consecutive bytes of a slab.  They may begin and
/// end within blocks of the file.
Offset slot_bytes_of(Offset bytes) {
  const Offset block = SlabFile::kBlockBytes;
  return std::max(kSlotBlocks, (bytes + block - 1) / block + 1) * block;
}

/// Bytes of a slot through which all block columns of an update matrix of order nupd can be read.
Offset slot_bytes(Index nupd, Offset entry_bytes) {
  return slot_bytes_of(update_column_begin(nupd, std::min(nupd, kUpdateBlock)) * entry_bytes);
}

}  // namespace

GroupedFactor::GroupedFactor(const SymbolicFactor& factor, const CpuPlan& plan,
                             const OutOfCoreRequest& request, TreeGroups groups)
    : factor_(factor), request_(request) {
  plan_.groups = std::move(groups);
  plan_.updates = place_updates(factor, plan, plan_.groups);
  place_panels(plan);
  find_outside(plan);
  lag_.assign(num_groups(), 0);
}

void GroupedFactor::place_tightly() {
  // A placement has gaps, so that what is live may fit while the placement does not.  Each turn
  // spills update matrices until 3 % fewer entries are live.
  constexpr double kTurn = 0.97;
  std::vector<Offset> live = count_live();
  const auto spill_down_to = [&](Offset most) {
    while (std::ranges::max(live) > most) {
      if (!spill_at_peak(live)) return false;
    }
    return true;
  };
  const Offset most = request_.most_bytes / request_.entry_bytes;
  bool has_more = spill_down_to(most);
  if (!has_more) {
    plan_.size = std::ranges::max(live);  // No placement needs less.
    return;
  }
  place(num_groups());
  for (double target = kTurn; !fits() && has_more; target *= kTurn) {
    has_more = spill_down_to(static_cast<Offset>(target * static_cast<double>(most)));
    place(num_groups());
  }
}

OutOfCorePlan GroupedFactor::take() {
  if (!is_placed_) place(num_groups());
  return std::move(plan_);
}

void GroupedFactor::fill_room() {
  lag_.assign(num_groups(), 1);
  place(num_groups());
  if (!fits()) {
    lag_.assign(num_groups(), 0);
    for (Index& lag : lag_) {
      lag = 1;
      place(num_groups());
      if (!fits()) lag = 0;
    }
  }
  keep_slabs();
}

void GroupedFactor::place_panels(const CpuPlan& plan) {
  plan_.panels.place.resize(factor_.nsuper);
  plan_.panels.slab_sizes.resize(num_groups());
  for (const auto list : {&plan_.slab_begin, &plan_.slab_size, &plan_.arena_begin,
                          &plan_.slot_begin, &plan_.slot_size}) {
    list->assign(num_groups(), 0);
  }
  for (Index g = 0; g < num_groups(); ++g) {
    Offset end = 0;
    const TreeGroup group = plan_.groups[g];
    for_each_front(factor_, plan.tasks, group, [&](Index s) {
      if (!group.strip.is_none()) {
        const Index columns = std::min(group.strip.end, factor_.ncol(s)) - group.strip.begin;
        end = Offset{factor_.nrow(s) - group.strip.begin} * std::max(columns, 0);
        return;
      }
      plan_.panels.place[s] = {g, end, factor_.nrow(s)};
      end += Offset{factor_.nrow(s)} * factor_.ncol(s);
    });
    plan_.panels.slab_sizes[g] = end;
    plan_.slab_size[g] = page_entries(end);
  }
}

/// Adds columns of the update matrix of front s that group g computes, if a later group assembles
/// the update matrix.
void GroupedFactor::add_outside(Index s, const Strip& strip, Index g) {
  const Index p = factor_.super_parent[s], nupd = factor_.nupd(s), ncol = factor_.ncol(s);
  if (!plan_.groups.outlives_group(s, p)) return;
  const Offset size = page_entries(update_column_begin(nupd, strip.end - ncol) -
                                   update_column_begin(nupd, strip.begin - ncol));
  const bool is_gathered = plan_.groups.is_gathering(p);
  outside_.push_back({s, strip, g, plan_.groups.group_of_top(p), size, is_gathered});
  is_spilled_.push_back(is_gathered ? 1 : 0);
  if (!is_gathered) return;
  const Offset bytes = slot_bytes(nupd, request_.entry_bytes);
  reserve_slots(p, std::min(size, page_entries(bytes / request_.entry_bytes)));
}

/// Makes the slots of front s, which gathers, have at least `entries` entries.
void GroupedFactor::reserve_slots(Index s, Offset entries) {
  const Index last = plan_.groups.last_group_of(s);
  for (Index g = plan_.groups.group_of_top(s); g <= last; ++g) {
    plan_.slot_size[g] = std::max(plan_.slot_size[g], entries);
  }
}

/// Makes the slots of group g have room for any block of columns of the earlier strips of its
/// front.
void GroupedFactor::reserve_slots_for_strips(Index g) {
  const TreeGroup group = plan_.groups[g];
  const Index s = group.top.front();
  for (Index of = plan_.groups.group_of_top(s); of < g; ++of) {
    const Strip earlier = plan_.groups[of].strip;
    if (earlier.begin >= factor_.ncol(s)) break;
    const Offset block = Offset{factor_.nrow(s) - earlier.begin} * dense::kStripUnit;
    const Offset slot =
        page_entries(slot_bytes_of(block * request_.entry_bytes) / request_.entry_bytes);
    plan_.slot_size[g] = std::max(plan_.slot_size[g], std::min(slot, plan_.slab_size[of]));
  }
}

/// Finds the update matrices that outlive their groups, and the sizes of slots.
void GroupedFactor::find_outside(const CpuPlan& plan) {
  const auto update_columns = [&](Index s) { return Strip{factor_.ncol(s), factor_.nrow(s)}; };
  for (Index g = 0; g < num_groups(); ++g) {
    for (const Index t : plan_.groups[g].tasks) {
      for (const Index root : plan.tasks.roots(t)) add_outside(root, update_columns(root), g);
    }
    const Strip strip = plan_.groups[g].strip;
    for (const Index s : plan_.groups[g].top) {
      if (strip.is_none()) add_outside(s, update_columns(s), g);
      if (strip.begin >= factor_.ncol(s)) add_outside(s, strip, g);
    }
    if (strip.begin > 0) reserve_slots_for_strips(g);
  }
}

void GroupedFactor::keep_slabs() {
  Index low = 0, high = num_groups();  // The plan fits when slabs from `high` on are kept.
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    place(middle);
    if (fits()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  place(high);
}

/// Assigns all offsets in the buffer.
void GroupedFactor::place(Index first_kept) {
  is_placed_ = true;
  const Index last = num_groups() - 1;
  MemoryPlan memory;
  const Index buffer = memory.add_buffer("panels and update matrices", Tier::kHost);
  const auto add = [&](Offset entries, Index first, Index until) {
    const Offset bytes = entries * request_.entry_bytes;
    return memory.add({buffer, kNone, bytes, first, std::min(until, last)}).begin /
           request_.entry_bytes;
  };
  plan_.first_kept = first_kept;
  plan_.kept_size = 0;
  plan_.spilled.clear();
  for (Index g = first_kept; g <= last; ++g) {
    plan_.slab_begin[g] = add(plan_.slab_size[g], g, last);
    plan_.kept_size = std::max(plan_.kept_size, plan_.slab_begin[g] + plan_.slab_size[g]);
  }
  Offset most_read = 0;  // Most entries of slab g, plus slab g - 1 where transfers overlap.
  auto made = outside_.begin();
  for (Index g = 0; g <= last; ++g) {
    memory.forget_before(g);
    for (; made != outside_.end() && made->made == g; ++made) {
      const bool spills = is_spilled_[made - outside_.begin()] != 0;
      const Index until = spills ? g + lag_[g] : made->needed;
      const Offset at = add(made->size, g, until);
      plan_.updates.place[made->front] = at;
      if (!spills) continue;
      SpilledUpdate spilled{made->front,  made->strip, g,  kNone,
                            made->needed, made->size,  at, kNone};
      if (!made->is_gathered) {
        spilled.fetched = fetched(*made);
        spilled.back_at = add(made->size, spilled.fetched, made->needed);
      }
      plan_.spilled.push_back(spilled);
    }
    if (g < first_kept) {
      plan_.slab_begin[g] = add(plan_.slab_size[g], g, g + lag_[g]);
      const Offset before = g > 0 && lag_[g - 1] > 0 ? plan_.slab_size[g - 1] : 0;
      most_read = std::max(most_read, plan_.slab_size[g] + before);
    }
    plan_.arena_begin[g] = add(page_entries(plan_.arena_entries(g, request_.threads)), g, g);
    plan_.slot_begin[g] = add(2 * plan_.slot_size[g], g, g);
  }
  plan_.size = std::max(memory.bytes(buffer) / request_.entry_bytes, plan_.kept_size + most_read) +
               kPanelSlack;
}

/// @return the entries that are live while each group is computed.  Transfers do not overlap with
///         computation yet.
std::vector<Offset> GroupedFactor::count_live() const {
  std::vector<Offset> live(num_groups(), 0);
  for (Index g = 0; g < num_groups(); ++g) {
    live[g] +=
        plan_.arena_entries(g, request_.threads) + plan_.slab_size[g] + 2 * plan_.slot_size[g];
  }
  for (std::size_t k = 0; k < outside_.size(); ++k) {
    const Outside& of = outside_[k];
    for (Index g = of.made; g <= of.needed; ++g) live[g] += of.size;
    if (is_spilled_[k] != 0) end_wait(of, live);
    if (of.is_gathered) live[of.needed] -= of.size;
  }
  return live;
}

/// Subtracts an update matrix from the entries of the groups during which it need not be in memory
/// when it is spilled.
void GroupedFactor::end_wait(const Outside& of, std::span<Offset> live) {
  for (Index g = of.made + 1; g < of.needed; ++g) live[g] -= of.size;
}

/// Finds the group that needs most memory, and spills the largest update matrix that waits while
/// that group is computed.
/// @param live  result of count_live(), which this function updates.
/// @return whether there was such an update matrix.
bool GroupedFactor::spill_at_peak(std::span<Offset> live) {
  const auto peak = static_cast<Index>(std::ranges::max_element(live) - live.begin());
  std::size_t best = outside_.size();
  for (std::size_t k = 0; k < outside_.size(); ++k) {
    const Outside& of = outside_[k];
    if (is_spilled_[k] || peak <= of.made || peak >= of.needed) continue;
    if (best == outside_.size() || of.size > outside_[best].size) best = k;
  }
  if (best == outside_.size()) return false;
  is_spilled_[best] = 1;
  end_wait(outside_[best], live);
  return true;
}

/// Rounds `entries` up to whole pages, with kPanelSlack entries to spare.  The kernels read
/// kPanelSlack entries behind an array, and no transfer may write them meanwhile.
Offset GroupedFactor::page_entries(Offset entries) const {
  const Offset page = ScratchFile::kAlignment / request_.entry_bytes;
  return entries == 0 ? 0 : (entries + kPanelSlack + page - 1) / page * page;
}

}  // namespace clchol::numeric
