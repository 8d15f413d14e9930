// Divides the fronts of a factor into groups and assigns memory ranges to their update matrices.
//
// A device factors all fronts of a group at once, and one group after another.  Breadth-first order
// gives the most parallelism, depth-first order needs the least memory [Liu86b].  One group of all
// fronts is the fastest.  Where its update matrices would exceed a limit, subtrees become groups of
// their own: the tighter the limit, the smaller the subtrees.  Between two groups, only update
// matrices that a later group reads occupy memory.
//
//        r           Subtrees A, B, C fit into a group.  They are units, and so is each front above
//      /   \         them, p and r.  Units fill the groups in postorder, for example:
//     p     C
//    / \                 group 0: A, B      group 1: p, C      group 2: r
//   A   B
#pragma once

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Limits of memory for make_front_groups().
struct GroupLimits {
  /// Entries of the memory that holds all update matrices.
  Offset updates = std::numeric_limits<Offset>::max();
  /// Entries of the panels of one group.
  Offset panels = std::numeric_limits<Offset>::max();
  /// Entries of the panels of a group of several fronts, and of a slab of several groups.  The
  /// panel of a single front may be larger.
  Offset slab = std::numeric_limits<Offset>::max();
  /// When memory is taken for update matrices that other parts of a factor compute.  true: for the
  /// group that waits for the update matrix, which needs less memory.  false: from the beginning of
  /// the factorization, so that the update matrix may arrive at any time.
  bool late_imports = false;
};

/// Offsets of panels on a device, and of their columns, are multiples of this number of entries.
/// For doubles it is a sector of 32 bytes, which small fronts write whole.  Copies of two entries
/// at once need an even number.
constexpr Offset kPanelAlignment = 4;

/// Leading dimension of the panel on a device of a front with nrow rows.
constexpr Offset panel_ld(Index nrow) {
  return (Offset{nrow} + kPanelAlignment - 1) / kPanelAlignment * kPanelAlignment;
}

/// Entries of a front's panel on a device, the padding of its columns included.
constexpr Offset panel_size(Index nrow, Index ncol) { return panel_ld(nrow) * ncol; }

/// One front or one subtree of a group.  While the group is factored, its update matrices lie in
/// one contiguous memory range.
struct FrontUnit {
  Index root = 0;           // The only front, or the root of the subtree.
  bool is_subtree = false;  // Whether the unit is the whole subtree of `root`.
  Offset space = 0;         // Entries of the memory range; the root's update matrix comes first.
};

/// Some columns of one front, which are a group of their own.  Columns of the panel come first,
/// then columns of the update matrix.
struct FrontStrip {
  Index root = 0;            // Supernode of the front.
  Index begin = 0, end = 0;  // Columns [begin, end) of the front, as in gpu::BatchColumns.
  bool is_first = true;      // Whether this strip is the front's first.
  /// Offset at which the front's whole update matrix would begin.  Columns that the strip does not
  /// write need not have memory.
  Offset update = 0;
  /// Offset at which each child's whole update matrix would begin.  Columns that the strip does not
  /// read need not have memory.  Length: number of children with update rows, in their order.
  std::vector<Offset> read = {};
};

/// Rank of a front in the order in which a part of a factor is computed.  Fronts of smaller turns
/// come first; the order that the tree requires is kept as well.
using FrontTurn = Index;
/// Turn of the fronts of a whole tree that waits for no other device and whose root's update matrix
/// another device waits for.
constexpr FrontTurn kEarlyTurn = -1;
/// Turn of all other fronts that wait for no other device.
constexpr FrontTurn kUsualTurn = 0;
/// Smallest turn of fronts that are groups of their own; their ancestors are groups of their own
/// too.  A front that waits for another device has its level (symbolic::FactorPart) as turn.
constexpr FrontTurn kAloneTurn = 1;

/// Groups of all fronts of a factor, and the memory ranges of their update matrices.
struct FrontGroups {
  std::vector<Index> group;    // Group of each supernode, never before its children's groups.
  std::vector<Offset> update;  // Offset at which each supernode's update matrix is written.
  std::vector<Offset> read;    // Offset at which the parent reads each supernode's update matrix.
  Index num_groups = 0;
  Offset update_entries = 0;  // Entries of the memory that holds all update matrices.

  std::vector<FrontUnit> units;  // Units of all groups, group by group.
  std::vector<Index> unit_ptr;   // Units of group g: [unit_ptr[g], unit_ptr[g + 1]).
  /// Strip that a group computes, by the group's number, for groups that are strips.  The member
  /// `group` has the group of the front's first strip.
  std::map<Index, FrontStrip> strips;

  std::span<const FrontUnit> units_of(Index g) const {
    const auto begin = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g)]);
    const auto end = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g) + 1]);
    return std::span(units).subspan(begin, end - begin);
  }
};

/// How large a group may be.  A group of one front above all subtrees may be larger.
struct GroupSize {
  Offset updates = 0;           // Entries of the memory ranges of a group's units, at most.
  Offset panels = 0;            // Entries of a group's panels, at most.
  bool subtrees_apart = false;  // Whether subtrees and fronts above them are in different groups.
  bool late_imports = false;    // GroupLimits::late_imports.
};

/// Makes groups of one size.  The largest subtrees that fit into a group are units, and each front
/// above them is a unit of its own.  Units fill the groups in postorder.  Cost O(nsuper).
/// @param turns  Turn of each supernode.  Fronts of different turns are in different groups.
///               Empty: all turns are kUsualTurn.
FrontGroups make_groups_of_size(const symbolic::SymbolicFactor& factor, const GroupSize& size,
                                std::span<const FrontTurn> turns = {});

/// Tries groups of several sizes, largest first, and returns the first ones that keep the limits.
/// Where none do, it returns the groups whose update matrices need the least memory; the caller has
/// to compare.  Throws OutOfMemory when the panel of one front exceeds limits.panels.
///
/// Fronts without columns have update matrices that other parts of a factor compute: their memory
/// is taken as limits.late_imports says, and their groups come right before the groups of their
/// parents.  Within a group, an update matrix lies where the update matrices of the front's
/// grandchildren lay, which nothing reads any more when it is written.  Fronts of a group may
/// therefore be factored in any order that the tree allows.
/// Cost O(nsuper log(nsuper)) for each of a few dozen tries at most.
/// @param turns  As for make_groups_of_size().
FrontGroups make_front_groups(const symbolic::SymbolicFactor& factor, const GroupLimits& limits,
                              std::span<const FrontTurn> turns = {});

/// Limits for a device that has enough memory: update matrices of at most 9/5 of the panels'
/// entries, where a few groups suffice to keep this limit, otherwise `most`.  For large factors 3/5
/// is tried first.
/// @param most   Limits that the device imposes.
/// @param least  Entries of update matrices that are allowed in any case.
/// Cost: that of make_front_groups() for each limit tried.
GroupLimits usual_limits(const symbolic::SymbolicFactor& factor, const GroupLimits& most,
                         Offset least);

}  // namespace clchol::numeric
