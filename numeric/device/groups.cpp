#include "numeric/device/groups.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/update_layout.hpp"
#include "numeric/device/stream/arena.hpp"
#include "symbolic/tree_cut.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

// ---- Space --------------------------------------------------------------------------------------

// Entries that the subtree of each front needs when it is factored at once.  Length: nsuper.
struct Spaces {
  // Memory range of the update matrix of s.  Earlier, the update matrices of all fronts below the
  // children of s lie in this range:
  //
  //   own(s) = max(size(s), sum over grandchildren g of own(g))
  std::vector<Offset> own;
  std::vector<Offset> subtree;  // All update matrices: own(s) + sum over children c of own(c).
  std::vector<Offset> panels;   // Panels of the whole subtree.
};

Offset update_size_of(const SymbolicFactor& factor, Index s) { return update_size(factor.nupd(s)); }

Spaces spaces_of(const SymbolicFactor& factor) {
  const auto n = static_cast<std::size_t>(factor.nsuper);
  Spaces spaces{std::vector<Offset>(n, 0), std::vector<Offset>(n, 0), std::vector<Offset>(n, 0)};
  for (Index s = 0; s < factor.nsuper; ++s) {
    // Before this step, own[s] sums own over the grandchildren and subtree[s] over the children.
    spaces.own[s] = std::max(spaces.own[s], update_size_of(factor, s));
    const Offset children = spaces.subtree[s];
    spaces.subtree[s] += spaces.own[s];
    spaces.panels[s] += panel_size(factor.nrow(s), factor.ncol(s));
    const Index parent = factor.super_parent[s];
    if (parent == kNone) continue;
    spaces.own[parent] += children;
    spaces.subtree[parent] += spaces.own[s];
    spaces.panels[parent] += spaces.panels[s];
  }
  return spaces;
}

// ---- Groups -------------------------------------------------------------------------------------

// Makes the groups for one GroupSize: see make_groups_of_size().
class Grouping {
 public:
  Grouping(const SymbolicFactor& factor, const Spaces& spaces, const GroupSize& size,
           std::span<const FrontTurn> turns, std::span<const char> alone)
      : factor_(factor), spaces_(spaces), size_(size), turns_(turns), alone_(alone) {
    groups_.group.resize(spaces.own.size());
    groups_.update.resize(spaces.own.size());
    groups_.unit_ptr = {0};
  }

  FrontGroups run() {
    const symbolic::TreeCut cut =
        symbolic::cut_tree(factor_.first_descendant, [this](Index s) { return fits(s); });
    if (!size_.late_imports) reserve_imported();
    std::vector<Index> units;
    const auto add = [&](Index s) { units.push_back(s); };
    cut.ascend([&](Index t) { add(cut.root(t)); }, add);
    // An imported update matrix is waited for as late as possible: right before its parent.
    std::ranges::stable_sort(units, {}, [this](Index s) {
      const Index user = is_imported(s) ? factor_.super_parent[s] : s;
      return std::pair(turn_of(user), user);
    });
    for (const Index s : units) add_unit(s);
    if (!units_.empty()) place_units();
    groups_.update_entries = arena_.most();
    groups_.read = groups_.update;
    return std::move(groups_);
  }

 private:
  FrontTurn turn_of(Index s) const {
    return turns_.empty() ? kUsualTurn : turns_[static_cast<std::size_t>(s)];
  }
  bool is_alone(Index s) const {
    return turn_of(s) >= kAloneTurn || (!alone_.empty() && alone_[static_cast<std::size_t>(s)]);
  }
  bool fits(Index s) const {
    return !is_alone(s) && spaces_.subtree[s] <= size_.updates && spaces_.panels[s] <= size_.panels;
  }
  bool are_apart() const { return size_.front_panels > 0; }
  bool is_apart(Index s, Index before) const {
    return is_alone(s) || is_alone(before) || turn_of(s) != turn_of(before) ||
           (are_apart() && fits(s) != fits(before));
  }
  // Adds the unit with root s: the subtree of s if it fits, otherwise s alone.
  void add_unit(Index s) {
    const Offset more = space_of(s), more_panels = panels_of(s);
    const Offset panels = are_apart() && !fits(s) ? size_.front_panels : size_.panels;
    const bool is_full = space_ > size_.updates - more || unit_panels_ > panels - more_panels;
    if (!units_.empty() && (is_full || is_apart(s, units_.back()))) place_units();
    units_.push_back(s);
    space_ += more;
    unit_panels_ += more_panels;
  }
  Offset space_of(Index s) const {
    return fits(s) ? spaces_.subtree[s] : update_size_of(factor_, s);
  }
  Offset panels_of(Index s) const {
    return fits(s) ? spaces_.panels[s] : panel_size(factor_.nrow(s), factor_.ncol(s));
  }

  void place_units() {
    for (const Index s : units_) {
      const bool has_place = is_imported(s) && !size_.late_imports;
      const Offset begin = has_place ? groups_.update[s] : take(space_of(s));
      if (fits(s)) {
        place_subtree(s, begin);
      } else {
        place_front(s, begin);
      }
    }
    // Frees the memory that only this group needed: a subtree's, except for the root's update
    // matrix; and the children's update matrices of a single front.
    for (const Index s : units_) {
      const Offset begin = groups_.update[s], size = update_size_of(factor_, s);
      if (fits(s)) {
        arena_.give_back(begin + size, spaces_.subtree[s] - size, {});
        continue;
      }
      for (const Index c : factor_.children(s)) {
        arena_.give_back(groups_.update[c], update_size_of(factor_, c), {});
      }
    }
    ++groups_.num_groups;
    for (const Index s : units_) groups_.units.push_back({s, fits(s), space_of(s)});
    groups_.unit_ptr.push_back(static_cast<Index>(groups_.units.size()));
    units_.clear();
    space_ = unit_panels_ = 0;
  }

  /// Takes memory for imported update matrices before all groups.  They may arrive at any time, so
  /// nothing else may lie in this memory earlier.
  void reserve_imported() {
    for (Index s = 0; s < factor_.nsuper; ++s) {
      if (is_imported(s)) groups_.update[s] = take(update_size_of(factor_, s));
    }
  }
  bool is_imported(Index s) const { return factor_.ncol(s) == 0; }

  Offset take(Offset size) {
    const auto any = [](const Arena::Use&) { return true; };
    return arena_.take(size, Arena::From::kBottom, any)->begin;
  }
  void place_front(Index s, Offset begin) {
    groups_.group[s] = groups_.num_groups;
    groups_.update[s] = begin;
  }

  // The root's space comes first, then the spaces of its children.  The space of every other front
  // lies in its grandparent's space.
  void place_subtree(Index root, Offset begin) {
    const Index first = factor_.first_descendant[root];
    next_.resize(spaces_.own.size());
    Offset end = begin;
    for (Index s = root; s >= first; --s) {
      const Index parent = factor_.super_parent[s];
      const bool is_top = s == root || parent == root;
      Offset& at = is_top ? end : next_[factor_.super_parent[parent]];
      next_[s] = at;
      place_front(s, at);
      at += spaces_.own[s];
    }
  }

  const SymbolicFactor& factor_;
  const Spaces& spaces_;
  GroupSize size_;
  std::span<const FrontTurn> turns_;
  std::span<const char> alone_;
  Arena arena_{std::numeric_limits<Offset>::max()};
  std::vector<Index> units_;            // Roots of the units of the group that is being filled.
  Offset space_ = 0, unit_panels_ = 0;  // Entries of these units' update matrices, and panels.
  // Offset in each front's space at which the space of its next grandchild begins.
  std::vector<Offset> next_;
  FrontGroups groups_;
};

void check_panels(const SymbolicFactor& factor, Offset most) {
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (panel_size(factor.nrow(s), factor.ncol(s)) <= most) continue;
    throw OutOfMemory("the largest front, of " + std::to_string(factor.nrow(s)) + " rows and " +
                      std::to_string(factor.ncol(s)) +
                      " columns, does not fit into one buffer of the device");
  }
}

}  // namespace

FrontGroups make_groups_of_size(const SymbolicFactor& factor, const GroupSize& size,
                                std::span<const char> alone) {
  return Grouping(factor, spaces_of(factor), size, {}, alone).run();
}

FrontGroups make_front_groups(const SymbolicFactor& factor, const GroupLimits& limits,
                              std::span<const FrontTurn> turns) {
  check_panels(factor, limits.panels);
  const Spaces spaces = spaces_of(factor);
  Offset all = 0, largest = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (factor.super_parent[s] == kNone) all += spaces.subtree[s];
    largest = std::max(largest, update_size_of(factor, s));
  }
  const Offset most_panels = std::min(limits.panels, limits.slab);
  const auto groups_of = [&](Offset size) {
    const GroupSize group{.updates = size,
                          .panels = most_panels,
                          .front_panels = 0,
                          .late_imports = limits.late_imports};
    return Grouping(factor, spaces, group, turns, {}).run();
  };
  FrontGroups best = groups_of(all);
  // Groups smaller than an eighth of the largest update matrix save hardly any memory.
  for (Offset size = all / 4 * 3; best.update_entries > limits.updates && size > largest / 8;
       size = size / 4 * 3) {
    FrontGroups groups = groups_of(size);
    if (groups.update_entries < best.update_entries) best = std::move(groups);
  }
  return best;
}

GroupLimits usual_limits(const symbolic::SymbolicFactor& factor, const GroupLimits& most,
                         Offset least) {
  struct Share {
    Offset tenths;  // Entries of update matrices, in tenths of the panels' entries, at most.
    Index groups;   // Groups that may be needed to keep this limit, at most.
    Offset from;    // Entries of panels from which on the limit is tried.
  };
  // Each group waits for the group before.  Measured on an H200: two groups take 2 to 5 % more time
  // than one where panels have 1 to 3 GB, and no more time from 8 GB on, where memory is the limit.
  constexpr std::array<Share, 2> kShares{{{6, 4, Offset{1} << 30}, {18, 12, 0}}};
  for (const Share& share : kShares) {
    if (factor.info.nnz_stored < share.from) continue;
    const GroupLimits limits{std::max(factor.info.nnz_stored / 10 * share.tenths, least),
                             most.panels};
    if (limits.updates >= most.updates) continue;
    const FrontGroups groups = make_front_groups(factor, limits);
    if (groups.update_entries <= limits.updates && groups.num_groups <= share.groups) return limits;
  }
  return most;
}

}  // namespace clchol::numeric
