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

// What the subtrees of all fronts take when each is factored at once.
struct Spaces {
  // Of a front's update and, in the same place, of all below its children:
  //
  //   own(s) = max(size(s), sum over grandchildren g of own(g))
  std::vector<Offset> own;
  std::vector<Offset> subtree;  // own(s) + sum over children c of own(c).
  std::vector<Offset> panels;   // Of the whole subtree.
};

Offset update_size_of(const SymbolicFactor& factor, Index s) { return update_size(factor.nupd(s)); }

Spaces spaces_of(const SymbolicFactor& factor) {
  const auto n = static_cast<std::size_t>(factor.nsuper);
  Spaces spaces{std::vector<Offset>(n, 0), std::vector<Offset>(n, 0), std::vector<Offset>(n, 0)};
  for (Index s = 0; s < factor.nsuper; ++s) {
    // Until here own(s) is the sum over grandchildren, subtree(s) that over children.
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

// Groups for one size of them.  Subtrees that fit, as large as they are, are *units*; every front
// above them is one of its own.  Units in postorder fill the groups.
class Grouping {
 public:
  Grouping(const SymbolicFactor& factor, const Spaces& spaces, const GroupSize& size,
           std::span<const FrontTurn> turns = {})
      : factor_(factor), spaces_(spaces), size_(size), turns_(turns) {
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
    // What is imported is waited for when its parent comes.
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
  bool is_alone(Index s) const { return turn_of(s) >= kAloneTurn; }
  // Fronts that are alone have ancestors alone, so that they may follow all others.
  bool fits(Index s) const {
    return !is_alone(s) && spaces_.subtree[s] <= size_.updates && spaces_.panels[s] <= size_.panels;
  }
  bool is_apart(Index s, Index before) const {
    return is_alone(s) || turn_of(s) != turn_of(before) ||
           (size_.subtrees_apart && fits(s) != fits(before));
  }
  // A unit is the root of a subtree that fits, or a front above all such subtrees.
  void add_unit(Index s) {
    const Offset more = space_of(s), more_panels = panels_of(s);
    const bool is_full = space_ > size_.updates - more || unit_panels_ > size_.panels - more_panels;
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
    // What only this group needed.
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

  /// Updates of other parts may come at any time: nothing else is ever at their places before.
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

  // The root's space first, then its children's; all others lie in their grandparents'.
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
  Arena arena_{std::numeric_limits<Offset>::max()};
  std::vector<Index> units_;            // Units of the group at hand.
  Offset space_ = 0, unit_panels_ = 0;  // Values that the units take.
  std::vector<Offset> next_;            // Where the next grandchild's space begins.
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
                                std::span<const FrontTurn> turns) {
  return Grouping(factor, spaces_of(factor), size, turns).run();
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
                          .subtrees_apart = false,
                          .late_imports = limits.late_imports};
    return Grouping(factor, spaces, group, turns).run();
  };
  FrontGroups best = groups_of(all);
  // Smaller groups than a part of the largest update save nothing that counts.
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
    Offset tenths;  // Of the panels' entries, that updates may have,
    Index groups;   // if so few groups keep that,
    Offset from;    // and panels have so many.
  };
  // Each group waits for the one before.  Measured on an H200: two take 2 to 5 % more time than one
  // where panels have 1 to 3 GB, nothing from 8 GB on; there, memory is what ends first.
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
