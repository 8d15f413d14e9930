#include "numeric/cpu/out_of_core/plan.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/bytes_of.hpp"
#include "base/update_layout.hpp"
#include "numeric/cpu/out_of_core/grouped_factor.hpp"
#include "numeric/dense/kernels.hpp"

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
/// Candidates q: a front is striped if it takes more than 1/q of the buffer, in strips of at most
/// this size.
constexpr Offset kStripsInBuffer[] = {2, 3, 5};

/// @return entries of the panel and of the update matrix of front s.
Offset front_entries(const SymbolicFactor& factor, Index s) {
  return Offset{factor.nrow(s)} * factor.ncol(s) + update_size(factor.nupd(s));
}

/// Predicted time of groups: threads share the tasks of a group, and then each front above the cut.
class GroupTimes {
 public:
  GroupTimes(const SymbolicFactor& factor, const CpuPlan& plan, int threads)
      : plan_(plan), threads_(threads), task_(plan.tasks.size(), 0) {
    for (Index t = 0; t < plan.tasks.size(); ++t) {
      for_each_front(factor, plan.tasks, {{}, std::span(&t, 1), {}},
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

/// Searches groups that fit into the buffer and keep the threads busy.
class OutOfCorePlanner {
 public:
  OutOfCorePlanner(const SymbolicFactor& factor, const CpuPlan& plan,
                   const OutOfCoreRequest& request)
      : factor_(factor), plan_(plan), request_(request) {
    for (const Index s : plan.top) {
      largest_front_ = std::max(largest_front_, front_entries(factor, s));
    }
  }

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

  /// Finds the first candidate groups that fit, or the groups with the smallest buffer.  Fronts
  /// gather only where nothing else helps, because their children's update matrices cross to the
  /// file and back: first the fronts that could not fit otherwise, then all split fronts.  Last,
  /// large fronts are striped: their panels are read several times.
  void find_groups() {
    constexpr Offset kNever = std::numeric_limits<Offset>::max();
    const Offset entries = request_.most_bytes / request_.entry_bytes;
    if (largest_front_ <= entries || entries == 0) {
      try_groups(kGroupShares, kNever, kNever);
      try_groups(std::span(kGroupShares).first(1), entries, kNever);
      if (entries > 0) try_groups(std::span(kGroupShares).first(1), 0, kNever);
    }
    for (const Offset strips : kStripsInBuffer) {
      try_groups(std::span(kGroupShares).first(1), 0, entries / strips);
    }
  }

  /// Tries candidate groups until one fits.  Fronts that need more than gather_from entries gather.
  /// Fronts with more than stripe_from entries are striped, in strips of at most as many entries.
  void try_groups(std::span<const double> shares, Offset gather_from, Offset stripe_from) {
    for (const Offset slabs : kSlabsInBuffer) {
      const Offset most = request_.most_bytes / request_.entry_bytes / slabs;
      for (const double share : shares) {
        if (best_ && best_->fits()) return;
        const std::vector<char> is_split = split_fronts(factor_, plan_, share, most);
        std::vector<char> gathers = gathering_fronts(factor_, plan_, is_split, gather_from);
        const std::vector<StripedFront> striped =
            request_.entry_bytes == sizeof(double)
                ? striped_fronts<double>(factor_, plan_, is_split, stripe_from)
                : striped_fronts<float>(factor_, plan_, is_split, stripe_from);
        for (const StripedFront& of : striped) gathers[of.front] = 1;
        std::unique_ptr<GroupedFactor> tried =
            placed(make_tree_groups(factor_, plan_.tasks,
                                    {plan_.kind, plan_.top, is_split, plan_.first_task,
                                     plan_.num_tasks, gathers, most, striped}));
        if (!best_ || tried->size() < best_->size()) best_ = std::move(tried);
      }
    }
  }

  /// Merges neighbouring groups while the plan fits, the pair with the greatest gain first.
  void merge_groups_where_that_gains() {
    const GroupTimes times(factor_, plan_, request_.threads);
    TreeGroups groups = best_->groups();
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
      if (gathers(groups, g) || gathers(groups, g + 1)) continue;
      const double gain =
          times(groups, g, g + 1) + times(groups, g + 1, g + 2) - times(groups, g, g + 2);
      if (is_tried[g] != 0 || gain < most_gain) continue;
      most_gain = gain;
      best = g;
    }
    return best;
  }

  /// A front that gathers is the only one of its group, and its children are in earlier groups.
  static bool gathers(const TreeGroups& groups, Index g) {
    return !groups[g].top.empty() && groups.is_gathering(groups[g].top.front());
  }

  const SymbolicFactor& factor_;
  const CpuPlan& plan_;
  const OutOfCoreRequest& request_;
  Offset largest_front_ = 0;  // Entries of the largest front above the cut.
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
                                       spilled, arena_begin, slot_begin, slot_size);
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

std::vector<char> gathering_fronts(const SymbolicFactor& factor, const CpuPlan& plan,
                                   std::span<const char> is_split, Offset most_entries) {
  std::vector<char> gathers(factor.nsuper, 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (is_split[s] == 0 || plan.early[s] != 0 || factor.children(s).empty()) continue;
    Offset entries = front_entries(factor, s);
    for (const Index c : factor.children(s)) entries += update_size(factor.nupd(c));
    gathers[s] = entries > most_entries ? 1 : 0;
  }
  return gathers;
}

template <class T>
std::vector<StripedFront> striped_fronts(const SymbolicFactor& factor, const CpuPlan& plan,
                                         std::span<const char> is_split, Offset most_entries) {
  std::vector<StripedFront> striped;
  for (Index s = 0; s < factor.nsuper; ++s) {
    const Index nrow = factor.nrow(s), ncol = factor.ncol(s), nupd = factor.nupd(s);
    const Index p = factor.super_parent[s];
    if (is_split[s] == 0 || !dense::can_have_strips<T>(nrow, ncol)) continue;
    if (front_entries(factor, s) <= most_entries) continue;
    if (plan.early[s] != 0 || (p != kNone && plan.early[p] != 0)) continue;
    StripedFront of{s, {}};
    const dense::ColumnBlocks blocks = dense::column_blocks<T>(nrow, ncol);
    for (Index begin = 0, end = 0; begin < ncol; begin = end) {
      end = blocks.end_of(begin);
      while (end < ncol && Offset{nrow - begin} * (blocks.end_of(end) - begin) <= most_entries) {
        end = blocks.end_of(end);
      }
      of.ends.push_back(end);
    }
    for (Index begin = 0, end = 0; begin < nupd; begin = end) {
      const Offset first = update_column_begin(nupd, begin);
      do {
        end = std::min(end + dense::kStripUnit, nupd);
      } while (end < nupd &&
               update_column_begin(nupd, end + dense::kStripUnit) - first <= most_entries);
      of.ends.push_back(ncol + end);
    }
    striped.push_back(std::move(of));
  }
  return striped;
}

template std::vector<StripedFront> striped_fronts<double>(const SymbolicFactor&, const CpuPlan&,
                                                          std::span<const char>, Offset);
template std::vector<StripedFront> striped_fronts<float>(const SymbolicFactor&, const CpuPlan&,
                                                         std::span<const char>, Offset);

std::vector<OutOfCorePlan::Range> OutOfCorePlan::written(const SymbolicFactor& factor, int threads,
                                                         Index g) const {
  std::vector<Range> ranges;
  const auto add = [&](Offset begin, Offset entries) {
    if (entries > 0) ranges.push_back({begin, begin + entries});
  };
  add(slab_begin[g], slab_size[g]);
  add(arena_begin[g], arena_entries(g, threads));
  add(slot_begin[g], 2 * slot_size[g]);
  const bool is_strip = !groups[g].strip.is_none();
  for (const Index s : groups[g].top) {
    if (!is_strip && groups.outlives_group(s, factor.super_parent[s])) {
      add(updates.place[s], update_size(factor.nupd(s)));
    }
  }
  for (const SpilledUpdate& of : spilled) {
    if (of.fetched == g) add(of.back_at, of.size);
    // A front below the cut outlives its group only if a later group gathers its update matrix.
    if (of.made == g && (is_strip || groups.of_top[of.front] == kNone)) add(of.made_at, of.size);
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
