// Which fronts a device factors together, and where their update matrices lie.
//
// Breadth first gives the most parallelism, depth first needs the least memory.  A group of fronts
// is factored at once; groups follow each other, so that what the earlier ones leave is only what
// later ones read.  One group of all fronts is the fastest; where their updates would exceed a
// limit, subtrees become groups of their own, the smaller the tighter the limit is.  [Liu86b]
#pragma once

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// In values.
struct GroupLimits {
  Offset updates = std::numeric_limits<Offset>::max();  // All update matrices at a time.
  Offset panels = std::numeric_limits<Offset>::max();   // Of one group.
  /// Panels of a group of several fronts, and of a slab of several groups; one front may have more.
  Offset slab = std::numeric_limits<Offset>::max();
  /// Updates that other parts of a factor make have their places from the group on that waits for
  /// them, which takes less memory; else from the beginning, so that they may come at any time.
  bool late_imports = false;
};

/// Panels on a device, and their columns, begin at multiples of so many values: a sector of 32
/// bytes for doubles, which small fronts write whole; copies of two values at once want it even.
constexpr Offset kPanelAlignment = 4;

/// Leading dimension of a front's panel on a device.
constexpr Offset panel_ld(Index nrow) {
  return (Offset{nrow} + kPanelAlignment - 1) / kPanelAlignment * kPanelAlignment;
}

/// Values of a front's panel on a device.
constexpr Offset panel_size(Index nrow, Index ncol) { return panel_ld(nrow) * ncol; }

/// Fronts of one group whose update matrices lie one behind the other while it is factored.
struct FrontUnit {
  Index root = 0;           // The unit is the subtree of this front,
  bool is_subtree = false;  // or the front alone.
  Offset space = 0;         // Values of its update matrices: the root's is the first.
};

/// Some columns of one front, of its panel and then of its update matrix: a group of their own.
struct FrontStrip {
  Index root = 0;                 // The front.
  Index begin = 0, end = 0;       // Columns: gpu::BatchColumns.
  bool is_first = true;           // Of the front's.
  Offset update = 0;              // Where the whole update would begin for this strip,
  std::vector<Offset> read = {};  // and each child's that has one, in the order of children.
};

/// When a front of a part of a factor is made: fronts of smaller turns come first, beside the order
/// that the tree asks for.
using FrontTurn = Index;
/// The turn of fronts in whole trees, whose update another device waits for.
constexpr FrontTurn kEarlyTurn = -1;
/// The turn of all other fronts that wait for no other device.
constexpr FrontTurn kUsualTurn = 0;
/// From here on each front is a group of its own, as are its ancestors: fronts that wait for
/// another device, whose turns are their levels (symbolic::FactorPart).
constexpr FrontTurn kAloneTurn = 1;

struct FrontGroups {
  std::vector<Index> group;    // Of each supernode; not before those of its children.
  std::vector<Offset> update;  // Where its update matrix begins as it is written,
  std::vector<Offset> read;    // and as its parent reads it.
  Index num_groups = 0;
  Offset update_entries = 0;  // All update matrices at a time.

  std::vector<FrontUnit> units;
  std::vector<Index> unit_ptr;  // Units of group g: [unit_ptr[g], unit_ptr[g + 1]).
  /// Groups that are strips of a front, by group; `group` has the front's first one.
  std::map<Index, FrontStrip> strips;

  std::span<const FrontUnit> units_of(Index g) const {
    const auto begin = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g)]);
    const auto end = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g) + 1]);
    return std::span(units).subspan(begin, end - begin);
  }
};

/// How large a group may be, in values.
struct GroupSize {
  // All update matrices of its units, and panels.  A front above all subtrees may have more.
  Offset updates = 0;
  Offset panels = 0;
  bool subtrees_apart = false;  // Whether no group has both subtrees and fronts above all of them.
  bool late_imports = false;    // GroupLimits::late_imports.
};

/// The groups of one size of them: subtrees that fit are units, as large as they are, and so is
/// each front above them; units in postorder fill the groups.  Cost O(nsuper).
/// @param turns  by supernode; may be empty: all are usual.  Fronts of different turns are in
///               different groups.
FrontGroups make_groups_of_size(const symbolic::SymbolicFactor& factor, const GroupSize& size,
                                std::span<const FrontTurn> turns = {});

/// The fewest groups that respect the limits, of those tried; where none do, the ones that need the
/// least: the caller compares.  Throws OutOfMemory when the panel of one front exceeds the limit.
/// Updates of fronts without columns, which other parts of a factor make, have places as
/// limits.late_imports says; their groups come right before those of their parents. Within a group
/// an update lies where those of its front's grandchildren lay, for they are dead when it is
/// written; so fronts of a group may be factored in any order that the tree allows. Cost O(nsuper
/// log(nsuper)) for each of a few dozen tries at most.
/// @param turns  as for make_groups_of_size().
FrontGroups make_front_groups(const symbolic::SymbolicFactor& factor, const GroupLimits& limits,
                              std::span<const FrontTurn> turns = {});

/// Limits where memory is no question: updates of at most 9/5 of the panels' entries, of large
/// factors 3/5, or `least`, if a few groups can keep that; otherwise `most`.
/// Cost: make_front_groups().
GroupLimits usual_limits(const symbolic::SymbolicFactor& factor, const GroupLimits& most,
                         Offset least);

}  // namespace clchol::numeric
