#include "numeric/cpu/out_of_core/plan.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/bytes_of.hpp"
#include "base/update_layout.hpp"
#include "numeric/file/scratch_file.hpp"
#include "numeric/memory_plan.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Candidate shares of the predicted time that a subtree may take as one group, before merges.
/// Small groups mostly need the least memory, but the arenas of a whole subtree may be smaller than
/// those of its fronts as single groups.
constexpr double kGroupShares[] = {0, 0.03125, 0.0625, 0.125};
/// Least gain for which two groups are merged, as a share of the predicted time.
constexpr double kLeastGain = 5e-4;
/// Most merges that are tried.  Each trial takes time in proportion to the number of supernodes.
Index most_trials(Index nsuper) { return std::clamp<Index>(10000000 / (nsuper + 1), 20, 400); }
/// Candidates q: a subtree may be one group if its panels take at most 1/q of the buffer.
constexpr Offset kSlabsInBuffer[] = {4, 8, 16};

/// Entries of the arenas of one group.
Offset arena_entries(const ArenaSizes& sizes, int threads) {
  return sizes.shared_size[0] + sizes.shared_size[1] +
         threads * (sizes.private_size[0] + sizes.private_size[1]);
}

/// Predicted time of groups: threads share the tasks of a group, and then each front above the cut.
class GroupTimes {
 public:
  GroupTimes(const SymbolicFactor& factor, const CpuPlan& plan, int threads)
      : plan_(plan), threads_(threads), task_(plan.tasks.size(), 0) {
    for (Index t = 0; t < plan.tasks.size(); ++t) {
      for_each_front(factor, plan.tasks, {{}, std::span(&t, 1)},
                     [&](Index s) { task_[t] += plan.front_cycles[s]; });
    }
  }

  /// @return predicted cycles of groups [g, end), merged into one group.
  double operator()(const TreeGroups& groups, Index g, Index end) const {
    double longest = 0, sum = 0;
    for (Index k = groups.task_ptr[g]; k < groups.task_ptr[end]; ++k) {
      longest = std::max(longest, task_[groups.task[k]]);
      sum += task_[groups.task[k]];
    }
    // Tasks end at different times: all threads but one lose half of the longest task on average.
    double time = std::max(longest, (sum + (threads_ - 1) * longest / 2) / threads_);
    for (Index k = groups.top_ptr[g]; k < groups.top_ptr[end]; ++k) {
      time += plan_.front_cycles[groups.top[k]] / threads_;
    }
    return time;
  }

 private:
  const CpuPlan& plan_;
  int threads_;
  std::vector<double> task_;  // Predicted cycles of each task.
};

/// A plan for given groups, without or with transfers that overlap with computation and kept slabs.
class GroupedFactor {
 public:
  GroupedFactor(const SymbolicFactor& factor, const CpuPlan& plan, const OutOfCoreRequest& request,
                TreeGroups groups)
      : factor_(factor), request_(request) {
    plan_.groups = std::move(groups);
    plan_.updates = place_updates(factor, plan, plan_.groups);
    place_panels(plan);
    find_outside();
    is_spilled_.assign(outside_.size(), 0);
    lag_.assign(num_groups(), 0);
  }

  Index num_groups() const { return plan_.groups.size(); }

  /// Assigns all offsets, and spills update matrices until the plan fits or none is left to spill.
  void place_tightly() {
    place(num_groups());
    while (!fits() && spill_at_peak()) place(num_groups());
  }

  bool fits() const { return plan_.size * request_.entry_bytes <= request_.most_bytes; }

  /// Uses the rest of the buffer: first to overlap transfers with computation, then to keep slabs.
  void fill_room() {
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

  OutOfCorePlan take() { return std::move(plan_); }
  const OutOfCorePlan& plan() const { return plan_; }

 private:
  /// The update matrix of `front` that group `made` computes and a later group `needed` assembles.
  struct Outside {
    Index front, made, needed;
    Offset size;  // Entries, rounded up to whole pages.
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

  /// @return the group at whose start the read of a spilled update matrix begins.
  Index fetched(const Outside& of) const { return of.needed - lag_[of.made]; }

  void keep_slabs() {
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
  void place(Index first_kept) {
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
      for (; made != outside_.end() && made->made == g; ++made) {
        const bool spills = is_spilled_[made - outside_.begin()] != 0;
        const Index until = spills ? g + lag_[g] : made->needed;
        plan_.updates.place[made->front] = add(made->size, g, until);
        if (!spills) continue;
        const Index back = fetched(*made);
        plan_.spilled.push_back(
            {made->front, g, back, made->needed, made->size, add(made->size, back, made->needed)});
      }
      if (g < first_kept) {
        plan_.slab_begin[g] = add(plan_.slab_size[g], g, g + lag_[g]);
        const Offset before = g > 0 && lag_[g - 1] > 0 ? plan_.slab_size[g - 1] : 0;
        most_read = std::max(most_read, plan_.slab_size[g] + before);
      }
      plan_.arena_begin[g] =
          add(page_entries(arena_entries(plan_.updates.sizes[g], request_.threads)), g, g);
    }
    plan_.size =
        std::max(memory.bytes(buffer) / request_.entry_bytes, plan_.kept_size + most_read) +
        kPanelSlack;
  }

  /// Finds the group that needs most memory, and spills the largest update matrix that waits while
  /// that group is computed.  Transfers do not overlap with computation yet.
  /// @return whether there was such an update matrix.
  bool spill_at_peak() {
    std::vector<Offset> live(num_groups(), 0);
    for (Index g = 0; g < num_groups(); ++g) {
      live[g] += arena_entries(plan_.updates.sizes[g], request_.threads) + plan_.slab_size[g];
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

  /// Rounds `entries` up to whole pages, with kPanelSlack entries to spare.  The kernels read
  /// kPanelSlack entries behind an array, and no transfer may write them meanwhile.
  Offset page_entries(Offset entries) const {
    const Offset page = ScratchFile::kAlignment / request_.entry_bytes;
    return entries == 0 ? 0 : (entries + kPanelSlack + page - 1) / page * page;
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
  std::vector<Outside> outside_;  // Update matrices that outlive their group, by `made`.
  std::vector<char> is_spilled_;  // Whether outside_[k] is spilled.  Length outside_.size().
  // Groups, 0 or 1, behind group g during which slab g and spilled update matrices of group g move
  // to the file.  Their memory is not overwritten while groups up to g + lag_[g] are computed.
  std::vector<Index> lag_;
};

/// Searches groups that fit into the buffer and keep the threads busy.
class OutOfCorePlanner {
 public:
  OutOfCorePlanner(const SymbolicFactor& factor, const CpuPlan& plan,
                   const OutOfCoreRequest& request)
      : factor_(factor), plan_(plan), request_(request) {}

  bool fits() {
    find_groups();
    return best_->fits();
  }

  OutOfCorePlan run() {
    if (fits()) {
      merge_groups_where_that_gains();
      best_->fill_room();
    }
    return best_->take();
  }

 private:
  std::unique_ptr<GroupedFactor> placed(TreeGroups groups) const {
    auto result = std::make_unique<GroupedFactor>(factor_, plan_, request_, std::move(groups));
    result->place_tightly();
    return result;
  }

  /// Finds the first candidate groups that fit, or the groups with the smallest buffer.
  void find_groups() {
    for (const Offset slabs : kSlabsInBuffer) {
      const Offset most = request_.most_bytes / request_.entry_bytes / slabs;
      for (const double share : kGroupShares) {
        if (best_ && best_->fits()) return;
        std::unique_ptr<GroupedFactor> tried = placed(
            make_tree_groups(factor_, plan_.tasks,
                             {plan_.kind, plan_.top, split_fronts(factor_, plan_, share, most),
                              plan_.first_task, plan_.num_tasks, most}));
        if (!best_ || tried->plan().size < best_->plan().size) best_ = std::move(tried);
      }
    }
  }

  /// Merges neighbouring groups while the plan fits, the pair with the greatest gain first.
  void merge_groups_where_that_gains() {
    const GroupTimes times(factor_, plan_, request_.threads);
    TreeGroups groups = best_->plan().groups;
    std::vector<char> is_tried(groups.size(), 0);
    for (Index left = most_trials(factor_.nsuper); left > 0; --left) {
      const Index g = best_pair(times, groups, is_tried);
      if (g == kNone) return;
      TreeGroups merged = merge_groups(groups, g);
      std::unique_ptr<GroupedFactor> tried = placed(merged);
      if (!tried->fits()) {
        is_tried[g] = 1;
        continue;
      }
      best_ = std::move(tried);
      groups = std::move(merged);
      is_tried.erase(is_tried.begin() + g);
      for (Index changed = std::max(0, g - 1); changed <= g; ++changed) is_tried[changed] = 0;
    }
  }

  /// @return the group g with the greatest gain when it is merged with group g + 1; kNone when no
  ///         pair that is untried gains enough.
  Index best_pair(const GroupTimes& times, const TreeGroups& groups,
                  std::span<const char> is_tried) const {
    Index best = kNone;
    double most_gain = kLeastGain * plan_.total_cycles;
    for (Index g = 0; g + 1 < groups.size(); ++g) {
      const double gain =
          times(groups, g, g + 1) + times(groups, g + 1, g + 2) - times(groups, g, g + 2);
      if (is_tried[g] != 0 || gain < most_gain) continue;
      most_gain = gain;
      best = g;
    }
    return best;
  }

  const SymbolicFactor& factor_;
  const CpuPlan& plan_;
  const OutOfCoreRequest& request_;
  std::unique_ptr<GroupedFactor> best_;
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

std::vector<OutOfCorePlan::Range> OutOfCorePlan::written(const SymbolicFactor& factor, int threads,
                                                         Index g) const {
  std::vector<Range> ranges;
  const auto add = [&](Offset begin, Offset entries) {
    if (entries > 0) ranges.push_back({begin, begin + entries});
  };
  add(slab_begin[g], slab_size[g]);
  add(arena_begin[g], arena_entries(updates.sizes[g], threads));
  for (const Index s : groups[g].top) {
    if (groups.outlives_group(s, factor.super_parent[s])) {
      add(updates.place[s], update_size(factor.nupd(s)));
    }
  }
  for (const SpilledUpdate& of : spilled) {
    if (of.fetched == g) add(of.back_at, of.size);
  }
  return ranges;
}

bool fits_out_of_core(const SymbolicFactor& factor, const CpuPlan& plan,
                      const OutOfCoreRequest& request) {
  return OutOfCorePlanner(factor, plan, request).fits();
}

OutOfCorePlan plan_out_of_core(const SymbolicFactor& factor, const CpuPlan& plan,
                               const OutOfCoreRequest& request) {
  return OutOfCorePlanner(factor, plan, request).run();
}

}  // namespace clchol::numeric
