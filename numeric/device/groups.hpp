// Which fronts a device factors together, and where their update matrices lie.
//
// Breadth first gives the most parallelism, depth first needs the least memory.  A group of fronts
// is factored at once; groups follow each other, so that what the earlier ones leave is only what
// later ones read.  One group of all fronts is the fastest; where their updates would exceed a
// limit, subtrees become groups of their own, the smaller the tighter the limit is.  [Liu86b]
#pragma once

#include <limits>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// In values.
struct GroupLimits {
  Offset updates = std::numeric_limits<Offset>::max();  // All update matrices at a time.
  Offset panels = std::numeric_limits<Offset>::max();   // Of one group.
  /// Panels of a group of several fronts, and of a slab of several groups; one front may have more.
  Offset slab = std::numeric_limits<Offset>::max();
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

struct FrontGroups {
  std::vector<Index> group;    // Of each supernode; not before those of its children.
  std::vector<Offset> update;  // Where its update matrix begins.
  Index num_groups = 0;
  Offset update_entries = 0;  // All update matrices at a time.
};

/// The fewest groups that respect the limits, of those tried; where none do, the ones that need the
/// least: the caller compares.  Throws OutOfMemory when the panel of one front exceeds the limit.
/// Within a group an update lies where those of its front's grandchildren lay, for they are dead
/// when it is written; so fronts of a group may be factored in any order that the tree allows.
/// Cost O(nsuper log(nsuper)) for each of a few dozen tries at most.
FrontGroups make_front_groups(const symbolic::SymbolicFactor& factor, const GroupLimits& limits);

/// Limits where memory is no question: updates of at most 9/5 of the panels' entries, of large
/// factors 3/5, or `least`, if a few groups can keep that; otherwise `most`.
/// Cost: make_front_groups().
GroupLimits usual_limits(const symbolic::SymbolicFactor& factor, const GroupLimits& most,
                         Offset least);

}  // namespace clchol::numeric
