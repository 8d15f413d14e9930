// Divides the fronts of a factor into groups and assigns memory ranges to their update matrices.
//
// A device factors all fronts of a group at once, and one group after another.  Breadth-first order
// of the assembly tree gives the most parallelism, depth-first order needs the least memory
// [Liu86b].  A single group of all fronts is the fastest.  If the update matrices of a single group
// would exceed a limit of memory, subtrees become groups of their own: the tighter the limit, the
// smaller the subtrees.  Between two groups, only update matrices that a later group reads occupy
// memory.
//
//        r           A, B and C are the largest subtrees that fit into a group.  Each of them is a
//      /   \         unit, and so is each front above them: p and r.  Units are added to groups in
//     p     C        postorder, for example:
//    / \
//   A   B                group 0: A, B      group 1: p, C      group 2: r
//
// Sizes and offsets count entries of the scalar type.  The offset of an update matrix is its
// position in the one buffer that holds all update matrices.  Fronts are numbered as supernodes.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Memory limits that make_front_groups() tries to keep.
struct GroupLimits {
  /// Maximum entries of the buffer that holds all update matrices.
  Offset updates = std::numeric_limits<Offset>::max();
  /// Maximum entries of the panels of one group.  No front may have a larger panel.
  Offset panels = std::numeric_limits<Offset>::max();
  /// Maximum entries of the panels of a group of several fronts, and of a slab of several groups.
  /// A group of one front may exceed this limit.
  Offset slab = std::numeric_limits<Offset>::max();
  /// From when on an imported update matrix (one that another part of the factor computes) has
  /// memory.  true: from the group that receives it, which needs less memory.  false: from the
  /// beginning of the factorization, so that the update matrix may arrive at any time.
  bool late_imports = false;
};

/// Panels on a device, and the columns of panels, begin at multiples of this number of entries.
/// Four doubles are a memory sector of 32 bytes, which the kernels for small fronts write whole.
/// Kernels that copy two entries at once need an even number.
constexpr Offset kPanelAlignment = 4;

/// Leading dimension, on a device, of the panel of a front with nrow rows.
constexpr Offset panel_ld(Index nrow) {
  return (Offset{nrow} + kPanelAlignment - 1) / kPanelAlignment * kPanelAlignment;
}

/// Entries of a front's panel on a device, including the padding of the panel's columns.
constexpr Offset panel_size(Index nrow, Index ncol) { return panel_ld(nrow) * ncol; }

/// A unit: a single front or a whole subtree, which is in one group.  While the group is factored,
/// the update matrices of the unit's fronts lie in one contiguous memory range.
struct FrontUnit {
  Index root = 0;           // Supernode of the single front, or of the subtree's root.
  bool is_subtree = false;  // Whether the unit is the whole subtree of `root`.
  Offset space = 0;  // Entries of the memory range, which begins with the update matrix of `root`.
};

/// A strip: a range of columns of one large front, which is a group of its own.  The front's
/// columns are numbered from 0: first those of the panel, then those of the update matrix.
struct FrontStrip {
  Index root = 0;            // Supernode of the front.
  Index begin = 0, end = 0;  // The strip's columns [begin, end), numbered within the front.
  bool is_first = true;      // Whether this is the first strip of the front.
  /// Offset of entry (0, 0) of the front's update matrix.  Only the columns that the strip writes
  /// have memory, so the offset may be outside of this memory.
  Offset update = 0;
  /// Offset of entry (0, 0) of each child's update matrix.  Only the columns that the strip reads
  /// have memory, so the offset may be outside of this memory.  Length: number of the front's
  /// children that have update rows, in the order of SymbolicFactor::children().
  std::vector<Offset> read = {};
};

/// Turn of a front: in a part of a factor, fronts with smaller turns are factored first, as far as
/// the assembly tree allows.  A front that waits for an update matrix of another device has its
/// level (symbolic::FactorPart), which is at least kAloneTurn, as turn.
using FrontTurn = Index;
/// Turn of all fronts of a tree in which no front waits for another device, and whose root is
/// exported: another device waits for the root's update matrix.
constexpr FrontTurn kEarlyTurn = -1;
/// Turn of all other fronts that wait for no other device.
constexpr FrontTurn kUsualTurn = 0;
/// Fronts with this turn or a greater one are groups of one front each.  All their ancestors have
/// such turns, too.
constexpr FrontTurn kAloneTurn = 1;

/// The groups of all fronts of a factor, and the memory ranges of the fronts' update matrices.
struct FrontGroups {
  /// Group of each supernode; for a front in strips, the group of the front's first strip.  Groups
  /// of children have smaller or equal numbers.  Length nsuper.
  std::vector<Index> group;
  /// Offset at which each supernode's update matrix is written.  Length nsuper.
  std::vector<Offset> update;
  /// Offset at which the parent's kernels read each supernode's update matrix.  Differs from
  /// `update` only in a streamed factor, if the update matrix was in host memory meanwhile.
  /// Length nsuper.
  std::vector<Offset> read;
  Index num_groups = 0;
  Offset update_entries = 0;  // Entries of the buffer that holds all update matrices.

  std::vector<FrontUnit> units;  // Units of all groups, in the order of groups.
  std::vector<Index> unit_ptr;   // Group g has the units [unit_ptr[g], unit_ptr[g + 1]).
  /// Groups that are strips: map from the group's number to its strip.
  std::map<Index, FrontStrip> strips;

  /// @return the units of group g.
  std::span<const FrontUnit> units_of(Index g) const {
    const auto begin = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g)]);
    const auto end = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g) + 1]);
    return std::span(units).subspan(begin, end - begin);
  }
};

/// How large a group may be.  A group of one single front may exceed the limits.
struct GroupSize {
  Offset updates = 0;           // Maximum entries of the memory ranges of a group's units.
  Offset panels = 0;            // Maximum entries of a group's panels.
  bool subtrees_apart = false;  // Whether a group has either subtrees or single fronts, never both.
  bool late_imports = false;    // GroupLimits::late_imports.
};

/// Divides the fronts into groups of at most the given size.  The largest subtrees that fit into a
/// group become units, and each front above them becomes a unit of its own.  Units are added to the
/// current group in the order of turns, then in postorder; a unit that does not fit any more begins
/// the next group.  Cost O(nsuper log(nsuper)).
/// @param turns  Turn of each supernode.  Fronts of different turns are in different groups.
///               Length nsuper; empty: all turns are kUsualTurn.
FrontGroups make_groups_of_size(const symbolic::SymbolicFactor& factor, const GroupSize& size,
                                std::span<const FrontTurn> turns = {});

/// Tries group sizes from the largest down, and returns the first division into groups that keeps
/// limits.updates.  If no size does, returns the groups whose update matrices need the least
/// memory, so the caller must compare FrontGroups::update_entries with the limit.
///
/// A front without columns is imported.  The groups of imported fronts come right before the groups
/// of their parents.  limits.late_imports decides from when on their update matrices have memory.
///
/// Within a subtree, a front's update matrix overwrites the update matrices of the front's
/// grandchildren, which nothing reads any more.  Therefore the fronts of a group may be factored in
/// any order in which children precede parents.
/// @param turns  Turn of each supernode, as for make_groups_of_size().
/// Throws OutOfMemory when the panel of one front exceeds limits.panels.
/// Cost O(nsuper log(nsuper)) for each group size; at most a few dozen sizes are tried.
FrontGroups make_front_groups(const symbolic::SymbolicFactor& factor, const GroupLimits& limits,
                              std::span<const FrontTurn> turns = {});

/// Chooses limits for a device that has enough memory for the factor, so that update matrices do
/// not take much more memory than panels.  Tries to limit the entries of the buffer of update
/// matrices to 3/5 (for large factors only), then to 9/5 of the entries of all panels.  A limit is
/// taken if few groups keep it: 4 groups for 3/5, 12 groups for 9/5.
/// @param most   Limits that the device imposes; returned if neither limit is taken.
/// @param least  Entries of the buffer of update matrices that are always allowed.
/// Cost: one call of make_front_groups() for each limit that is tried.
GroupLimits usual_limits(const symbolic::SymbolicFactor& factor, const GroupLimits& most,
                         Offset least);

}  // namespace clchol::numeric
