#include "numeric/cpu/out_of_core/plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/bytes_of.hpp"
#include "base/update_layout.hpp"
#include "numeric/file/scratch_file.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Shares of the predicted time that a group of several fronts may take, the best one first: large
/// groups keep threads busy, small ones take less memory.
constexpr double kGroupShares[] = {0.25, 0.125, 0.0625, 0.03125, 0};
/// A slab may take such a part of the buffer, where there are smaller ones.
constexpr Offset kSlabsInBuffer = 4;

/// Groups of one size, and what each needs.
class GroupedFactor {
 public:
  GroupedFactor(const SymbolicFactor& factor, const CpuPlan& plan, const OutOfCoreRequest& request,
                double share)
      : factor_(factor), request_(request) {
    const Offset most = request.most_bytes / request.entry_bytes / kSlabsInBuffer;
    plan_.groups = make_tree_groups(factor, plan.tasks,
                                    {plan.kind, plan.top, split_fronts(factor, plan, share, most),
                                     plan.first_task, plan.num_tasks, most});
    plan_.updates = place_updates(factor, plan, plan_.groups);
    place_panels(plan);
    find_outside();
    is_spilled_.assign(outside_.size(), 0);
  }

  Index num_groups() const { return plan_.groups.size(); }

  /// Places everything so that all transfers overlap with computation, and keeps as many slabs as
  /// the buffer has room for; false where it has none for that.
  bool place_with_overlap() {
    plan_.lag.assign(num_groups(), 1);
    place(num_groups());
    if (!fits()) return false;
    keep_slabs();
    return true;
  }

  /// The same with as much overlap as there is room for; update matrices are spilled where there is
  /// none for them.
  bool place_tightly() {
    plan_.lag.assign(num_groups(), 0);
    place(num_groups());
    while (!fits()) {
      if (!spill_at_peak()) return false;
      place(num_groups());
    }
    for (Index& lag : plan_.lag) {
      lag = 1;
      place(num_groups());
      if (!fits()) lag = 0;
    }
    keep_slabs();
    return true;
  }

  OutOfCorePlan take() { return std::move(plan_); }
  const OutOfCorePlan& plan() const { return plan_; }

 private:
  /// An update matrix that a later group takes.
  struct Outside {
    Index front, made, needed;
    Offset size;
  };

  void find_outside() {
    for (Index g = 0; g < num_groups(); ++g) {
      for (const Index s : plan_.groups[g].top) {
        const Index p = factor_.super_parent[s];
        if (!plan_.groups.outlives_group(s, p)) continue;
        outside_.push_back(
            {s, g, plan_.groups.group_of_top(p), page_entries(update_size(factor_.nupd(s)))});
      }
    }
  }

  /// Group that is computed while a spilled update comes back.
  Index fetched(const Outside& of) const { return of.needed - plan_.lag[of.made]; }

  void keep_slabs() {
    Index low = 0, high = num_groups();  // Keeping slabs from `high` on fits.
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

  /// Places everything in a buffer.
  void place(Index first_kept) {
    const Index last = num_groups() - 1;
    MemoryPlan memory;
    const Index buffer = memory.add_buffer("panels and update matrices", Tier::kHost);
    const auto add = [&](Offset entries, Index first, Index until) {
      const Offset bytes = page_entries(entries) * request_.entry_bytes;
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
    Offset most_read = 0;  // Entries of two slabs that follow each other.
    auto made = outside_.begin();
    for (Index g = 0; g <= last; ++g) {
      for (; made != outside_.end() && made->made == g; ++made) {
        const bool spills = is_spilled_[made - outside_.begin()] != 0;
        const Index until = spills ? g + plan_.lag[g] : made->needed;
        plan_.updates.place[made->front] = add(made->size, g, until);
        if (!spills) continue;
        const Index back = fetched(*made);
        plan_.spilled.push_back(
            {made->front, g, back, made->needed, made->size, add(made->size, back, made->needed)});
      }
      if (g < first_kept) {
        plan_.slab_begin[g] = add(plan_.slab_size[g], g, g + plan_.lag[g]);
        const Offset before = g > 0 && plan_.lag[g - 1] > 0 ? plan_.slab_size[g - 1] : 0;
        most_read = std::max(most_read, plan_.slab_size[g] + before);
      }
      plan_.arena_begin[g] = add(arena_entries(plan_.updates.sizes[g]), g, g);
    }
    plan_.size =
        std::max(memory.bytes(buffer) / request_.entry_bytes, plan_.kept_size + most_read) +
        kPanelSlack;
  }

  bool fits() const { return plan_.size * request_.entry_bytes <= request_.most_bytes; }

  /// Spills the largest update matrix that waits while the group that needs most is computed;
  /// false where none does.  Nothing overlaps yet.
  bool spill_at_peak() {
    std::vector<Offset> live(num_groups(), 0);
    for (Index g = 0; g < num_groups(); ++g) {
      live[g] += arena_entries(plan_.updates.sizes[g]) + plan_.slab_size[g];
    }
    const auto for_each_wait = [&](const Outside& of, const auto& f) {
      for (Index g = of.made + 1; g < of.needed; ++g) f(g);
    };
    for (std::size_t k = 0; k < outside_.size(); ++k) {
      const Outside& of = outside_[k];
      for (Index g = of.made; g <= of.needed; ++g) live[g] += of.size;
      if (is_spilled_[k]) for_each_wait(of, [&](Index g) { live[g] -= of.size; });
    }
    const auto peak = static_cast<Index>(std::ranges::max_element(live) - live.begin());
    std::size_t best = outside_.size();
    for (std::size_t k = 0; k < outside_.size(); ++k) {
      const Outside& of = outside_[k];
      if (is_spilled_[k] || peak <= of.made || peak >= of.needed) continue;
      if (best == outside_.size() || of.size > outside_[best].size) best = k;
    }
    if (best == outside_.size()) return false;
    is_spilled_[best] = 1;
    return true;
  }

  Offset page_entries(Offset entries) const {
    return pages(entries) * (ScratchFile::kAlignment / request_.entry_bytes);
  }
  Offset pages(Offset entries) const {
    return (entries * request_.entry_bytes + ScratchFile::kAlignment - 1) / ScratchFile::kAlignment;
  }

  Offset arena_entries(const ArenaSizes& sizes) const {
    return sizes.shared_size[0] + sizes.shared_size[1] +
           request_.threads * (sizes.private_size[0] + sizes.private_size[1]);
  }

  void place_panels(const CpuPlan& plan) {
    plan_.panels.place.resize(factor_.nsuper);
    plan_.panels.slab_sizes.resize(num_groups());
    for (const auto list : {&plan_.slab_begin, &plan_.slab_size, &plan_.arena_begin}) {
      list->assign(num_groups(), 0);
    }
    for (Index g = 0; g < num_groups(); ++g) {
      Offset end = 0;
      for_each_front(factor_, plan.tasks, plan_.groups[g], [&](Index s) {
        plan_.panels.place[s] = {g, end, factor_.nrow(s)};
        end += Offset{factor_.nrow(s)} * factor_.ncol(s);
      });
      plan_.panels.slab_sizes[g] = end;
      plan_.slab_size[g] = page_entries(end);
    }
  }

  const SymbolicFactor& factor_;
  const OutOfCoreRequest& request_;
  OutOfCorePlan plan_;
  std::vector<Outside> outside_;  // By the group that makes them.
  std::vector<char> is_spilled_;  // Of each of them.
};

}  // namespace

Offset OutOfCorePlan::sent_size() const {
  return std::accumulate(slab_size.begin(), slab_size.begin() + first_kept, Offset{0});
}

Offset OutOfCorePlan::spilled_size() const {
  Offset size = 0;
  for (const SpilledUpdate& of : spilled) size += of.size;
  return size;
}

Offset OutOfCorePlan::bytes() const {
  return groups.bytes() + bytes_of_all(updates.place, updates.accumulator, updates.sizes,
                                       panels.place, panels.slab_sizes, slab_begin, slab_size,
                                       spilled, arena_begin);
}

std::vector<char> split_fronts(const SymbolicFactor& factor, const CpuPlan& plan, double share,
                               Offset most_entries) {
  std::vector<double> cycles = plan.front_cycles;
  std::vector<Offset> entries(factor.nsuper);
  std::vector<char> is_split(factor.nsuper, 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    entries[s] += Offset{factor.nrow(s)} * factor.ncol(s);
    is_split[s] = plan.kind[s] == FrontKind::kTop &&
                  (cycles[s] > share * plan.total_cycles || entries[s] > most_entries);
    const Index p = factor.super_parent[s];
    if (p == kNone) continue;
    cycles[p] += cycles[s];
    entries[p] += entries[s];
  }
  return is_split;
}

OutOfCorePlan plan_out_of_core(const SymbolicFactor& factor, const CpuPlan& plan,
                               const OutOfCoreRequest& request) {
  for (const double share : kGroupShares) {
    GroupedFactor grouped(factor, plan, request, share);
    if (grouped.place_with_overlap()) return grouped.take();
  }
  std::optional<OutOfCorePlan> least;
  for (const double share : kGroupShares) {
    GroupedFactor grouped(factor, plan, request, share);
    if (grouped.place_tightly()) return grouped.take();
    if (!least || grouped.plan().size < least->size) least = grouped.take();
  }
  return std::move(*least);
}

}  // namespace clchol::numeric
