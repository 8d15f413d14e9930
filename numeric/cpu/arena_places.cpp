#include "numeric/cpu/arena_places.hpp"

#include <algorithm>

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

class ArenaAssigner {
 public:
  ArenaAssigner(const SymbolicFactor& factor, std::span<const FrontKind> kind,
                const SubtreeTasks& tasks, const TreeGroups& groups, const ArenaRequest& request)
      : factor_(factor), kind_(kind), tasks_(tasks), groups_(groups), request_(request) {
    own_.resize(factor.nsuper);
    other_.resize(factor.nsuper);
    base_own_.assign(factor.nsuper, 0);
    base_other_.assign(factor.nsuper, 0);
    parity_.resize(factor.nsuper);
    for (Index s = factor.nsuper; s-- > 0;) {
      const Index p = factor.super_parent[s];
      parity_[s] = p == kNone ? 0 : 1 - parity_[p];
    }
    accumulators_.assign(factor.nsuper, 0);
    for (Index t = 0; t < tasks.size(); ++t) {
      const Index p = factor.super_parent[tasks.roots(t).front()];
      if (p != kNone && request.early[p]) accumulators_[p] += request.accumulator_size[p];
    }
  }

  ArenaPlaces run() {
    for (Index s = 0; s < factor_.nsuper; ++s) need(s);
    result_.place.resize(factor_.nsuper);
    result_.sizes.resize(groups_.size());
    place_roots();
    for (Index s = factor_.nsuper; s-- > 0;) place(s);
    size_private_arenas();
    place_accumulators();
    return std::move(result_);
  }

 private:
  bool is_early(Index s) const { return request_.early[s] != 0; }
  bool is_in_subtree(Index s) const {
    return kind_[s] == FrontKind::kInSubtree || kind_[s] == FrontKind::kSubtreeRoot;
  }

  /// Whether s is a subtree root whose storage outlives its task, but not its group.
  bool is_shared_root(Index s) const {
    const Index p = factor_.super_parent[s];
    return kind_[s] == FrontKind::kSubtreeRoot && p != kNone && !is_early(p) && !outlives_group(s);
  }

  /// Entries of s in the arena that its subtree uses; 0 for a root whose storage outlives its task.
  Offset private_or_top_size(Index s) const {
    return is_shared_root(s) || outlives_group(s) ? 0 : request_.size[s];
  }

  /// Whether a later group reads the storage of s, which is in no arena.
  bool outlives_group(Index s) const { return groups_.outlives_group(s, factor_.super_parent[s]); }

  /// Computes own_[s] and other_[s]: the entries that the subtree of s needs in each arena.
  void need(Index s) {
    if (!is_in_subtree(s)) {
      need_top(s);
      return;
    }
    Offset stacked = 0, peak_own = 0, peak_other = 0;
    for (Index c : factor_.children(s)) {
      peak_other = std::max(peak_other, stacked + own_[c]);
      peak_own = std::max(peak_own, other_[c]);
      if (!is_early(s)) stacked += request_.size[c];
    }
    const Offset size = private_or_top_size(s);
    own_[s] = is_early(s) ? size + peak_own : std::max(size, peak_own);
    other_[s] = peak_other;
  }

  /// Above the cut, children run concurrently; a subtree root needs only its own storage there.
  void need_top(Index s) {
    Offset sum_own = 0, sum_other = accumulators_[s];
    for (Index c : factor_.children(s)) {
      if (outlives_group(c)) continue;
      sum_other += top_need_own(c);
      sum_own += top_need_other(c);
    }
    own_[s] = std::max(outlives_group(s) ? 0 : request_.size[s], sum_own);
    other_[s] = sum_other;
  }

  Offset top_need_own(Index c) const {
    if (!is_in_subtree(c)) return own_[c];
    return is_shared_root(c) ? request_.size[c] : 0;
  }
  Offset top_need_other(Index c) const { return is_in_subtree(c) ? 0 : other_[c]; }

  /// Assigns bases to the fronts above the cut that have no parent, or a parent in a later group.
  void place_roots() {
    for (Index s = 0; s < factor_.nsuper; ++s) {
      if (is_in_subtree(s)) continue;
      if (factor_.super_parent[s] != kNone && !outlives_group(s)) continue;
      // Two roots of a group may have depths of different parity.
      const int q = parity_[s];
      Offset* const end = result_.sizes[groups_.group_of_top(s)].shared_size;
      base_own_[s] = end[q];
      base_other_[s] = end[1 - q];
      end[q] += own_[s];
      end[1 - q] += other_[s];
    }
  }

  /// Places s at the base that its parent assigned, and assigns bases to its children.
  void place(Index s) {
    result_.place[s] = outlives_group(s) ? kNone : base_own_[s];
    if (!is_in_subtree(s)) {
      place_children_of_top(s);
      return;
    }
    if (kind_[s] == FrontKind::kSubtreeRoot) {
      // The private storage of a subtree begins at the start of the thread's arenas.
      base_own_[s] = base_other_[s] = 0;
      if (!is_shared_root(s) && !outlives_group(s)) result_.place[s] = 0;
    }
    Offset next = base_other_[s];
    for (Index c : factor_.children(s)) {
      base_own_[c] = next;
      base_other_[c] = base_own_[s] + (is_early(s) ? private_or_top_size(s) : 0);
      if (!is_early(s)) next += request_.size[c];
    }
  }

  void place_children_of_top(Index s) {
    Offset next_other = base_other_[s] + accumulators_[s], next_own = base_own_[s];
    for (Index c : factor_.children(s)) {
      if (outlives_group(c)) continue;
      base_own_[c] = next_other;
      base_other_[c] = next_own;
      next_other += top_need_own(c);
      next_own += top_need_other(c);
    }
  }

  /// Sizes a thread's arenas so that each subtree of the group fits.
  void size_private_arenas() {
    for (Index t = 0; t < tasks_.size(); ++t) {
      Offset* const size = result_.sizes[groups_.group_of_task(t)].private_size;
      for (const Index root : tasks_.roots(t)) {
        const int q = parity_[root];
        size[q] = std::max(size[q], own_[root]);
        size[1 - q] = std::max(size[1 - q], other_[root]);
      }
    }
  }

  void place_accumulators() {
    result_.accumulator.assign(tasks_.size(), kNone);
    std::vector<Offset> used(factor_.nsuper, 0);
    for (Index t = 0; t < tasks_.size(); ++t) {
      const Index p = factor_.super_parent[tasks_.roots(t).front()];
      if (p == kNone || !is_early(p)) continue;
      result_.accumulator[t] = base_other_[p] + used[p];
      used[p] += request_.accumulator_size[p];
    }
  }

  const SymbolicFactor& factor_;
  std::span<const FrontKind> kind_;
  const SubtreeTasks& tasks_;
  const TreeGroups& groups_;
  const ArenaRequest& request_;
  // "Own" is the arena of the front's parity, "other" is the arena of its children's parity.
  std::vector<Offset> own_, other_;            // Entries that subtree s needs.    Length nsuper.
  std::vector<Offset> base_own_, base_other_;  // Offsets of subtree s's regions.  Length nsuper.
  std::vector<unsigned char> parity_;          // Parity of the depth of front s.  Length nsuper.
  std::vector<Offset> accumulators_;  // Entries of all accumulators under front p.  Length nsuper.
  ArenaPlaces result_;
};

}  // namespace

ArenaPlaces assign_arena_places(const SymbolicFactor& factor, std::span<const FrontKind> kind,
                                const SubtreeTasks& tasks, const TreeGroups& groups,
                                const ArenaRequest& request) {
  return ArenaAssigner(factor, kind, tasks, groups, request).run();
}

}  // namespace clchol::numeric
