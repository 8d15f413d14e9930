// Divides the fronts of a factor into groups and assigns memory ranges to their update matrices.
//
// A device factors all fronts of a group at once, and one group after another.  Breadth-first order
// of the assembly tree gives the most parallelism, depth-first order needs the least memory
// [Liu86b].  A single group of all fronts is the fastest.  If the update matrices of a single group
// would exceed a limit of memory, the tree is cut into units: a unit is a whole subtree, or a
// single front above these subtrees.  Each group takes as many units as fit.  The lower the limit,
// the smaller the subtrees.  Between two groups, only update matrices that a later group reads
// occupy memory.
//
//        r         A, B and C are the largest subtrees that fit into a group.  The units are A, B,
//      +-+-+       C, and the single fronts p and r above these subtrees.  Units are added to the
//      p   C       current group in the order A, B, p, C, r (postorder), for example:
//    +-+-+
//    A   B             group 0: A, B      group 1: p, C      group 2: r
//
// Sizes and offsets count entries of the scalar type.  The offset of an update matrix is the
// matrix's position in the one buffer that holds all update matrices.  The number of a front is the
// number of its supernode.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Memory limits for make_front_groups().
struct GroupLimits {
  /// Maximum entries of the buffer that holds all update matrices.  If every division into groups
  /// that is tried exceeds this limit, make_front_groups() returns groups that exceed it.
  Offset updates = std::numeric_limits<Offset>::max();
  /// Maximum entries of the panels of one group.  If the panel of one front is larger,
  /// make_front_groups() throws.
  Offset panels = std::numeric_limits<Offset>::max();
  /// Maximum entries of the panels of a group of several fronts, and of a slab of several groups.
  /// A group of one front may exceed this limit.
  Offset slab = std::numeric_limits<Offset>::max();
  /// When imported update matrices get memory.  An imported front is a front of this factor without
  /// pivot columns, whose update matrix another device computes.  true: the update matrix has
  /// memory only from the imported front's group on, so that less memory is needed.  false: the
  /// update matrix has memory from the beginning of the factorization, so that it may arrive at any
  /// time.
  bool late_imports = false;
};

/// On a device, panels and the columns of panels begin at multiples of this number of entries.
/// Four doubles are a memory sector of 32 bytes, which the kernels for small fronts write whole.
/// Kernels that copy two entries at once need an even number.
constexpr Offset kPanelAlignment = 4;

/// Leading dimension, on a device, of the panel of a front with nrow rows.
constexpr Offset panel_ld(Index nrow) {
  return (Offset{nrow} + kPanelAlignment - 1) / kPanelAlignment * kPanelAlignment;
}

/// Entries of a front's panel on a device, including the padding of the panel's columns.
constexpr Offset panel_size(Index nrow, Index ncol) { return panel_ld(nrow) * ncol; }

/// A unit: a single front or a whole subtree.  All fronts of a unit are in the same group.  While
/// the group is factored, the update matrices of the unit's fronts lie in one contiguous memory
/// range.
struct FrontUnit {
  Index root = 0;           // Supernode of the single front, or of the subtree's root.
  bool is_subtree = false;  // Whether the unit is the whole subtree of `root`.
  Offset space = 0;  // Entries of the unit's memory range.  The range begins with the update matrix
                     // of `root`.
};

/// A strip: a range of columns of one large front, which is a group of its own.  The front's
/// columns are numbered from 0: first those of the panel, then those of the update matrix.
struct FrontStrip {
  Index root = 0;            // Supernode of the front.
  Index begin = 0, end = 0;  // The strip's columns [begin, end), numbered within the front.
  bool is_first = true;      // Whether this is the first strip of the front.
  /// Offset that entry (0, 0) of the front's update matrix would have if all columns of the matrix
  /// had memory.  Only the columns that the strip writes have memory, so this offset may lie
  /// outside of the memory range of these columns, and may be negative.
  Offset update = 0;
  /// Offset that entry (0, 0) of each child's update matrix would have if all columns of the matrix
  /// had memory.  Only the columns that the strip reads have memory, so this offset may lie outside
  /// of the memory range of these columns, and may be negative.  One element for each child of the
  /// front that has update rows, in the order of SymbolicFactor::children().
  std::vector<Offset> read = {};
};

/// Turn of a front: a number that orders the fronts of one device's part of a factor.  Fronts with
/// smaller turns are factored first.  A front that depends on update matrices of other devices has
/// a turn >= kAloneTurn, its level (symbolic::FactorPart::level): the greatest number of transfers
/// between devices on a path from a leaf to the front.  All other fronts have one of the turns
/// kEarlyTurn and kUsualTurn.
using FrontTurn = Index;
/// Turn of all fronts of a subtree that needs nothing from other devices, but whose root's update
/// matrix goes to another device.  The subtree is factored early, so that the other device waits
/// less.
constexpr FrontTurn kEarlyTurn = -1;
/// Turn of all other fronts that do not depend on other devices.
constexpr FrontTurn kUsualTurn = 0;
/// Least turn of fronts that depend on other devices.  Each front with this turn or a greater turn
/// is a group of its own.  All ancestors of such a front have turns >= kAloneTurn, too.
constexpr FrontTurn kAloneTurn = 1;

/// The groups of all fronts of a factor, and the memory ranges of the fronts' update matrices.
struct FrontGroups {
  /// Group of each supernode; for a front that is divided into strips, the group of the first
  /// strip.  The group of a child is the parent's group or an earlier group.  Length nsuper.
  std::vector<Index> group;
  /// Offset at which each supernode's update matrix is written.  Length nsuper.
  std::vector<Offset> update;
  /// Offset at which the parent's kernels read each supernode's update matrix.  read[s] differs
  /// from update[s] only in a streamed factor, if the update matrix of s moves to host memory and
  /// back before the parent is factored.  Length nsuper.
  std::vector<Offset> read;
  Index num_groups = 0;
  Offset update_entries = 0;  // Entries of the buffer that holds all update matrices.

  std::vector<FrontUnit> units;  // Units of all groups, in the order of groups.
  // Group g has the units [unit_ptr[g], unit_ptr[g + 1]).  Length num_groups + 1.
  std::vector<Index> unit_ptr;
  /// Map from the number of each group that is a strip to the strip.
  std::map<Index, FrontStrip> strips;

  /// @return the units of group g.
  std::span<const FrontUnit> units_of(Index g) const {
    const auto begin = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g)]);
    const auto end = static_cast<std::size_t>(unit_ptr[static_cast<std::size_t>(g) + 1]);
    return std::span(units).subspan(begin, end - begin);
  }
};

/// Maximum size of a group, and how fronts are put into groups.  A group that is one single front
/// may exceed the maximum size.
struct GroupSize {
  Offset updates = 0;  // Maximum entries of the memory ranges of all units of a group.
  Offset panels = 0;   // Maximum entries of all panels of a group.
  // Greater than 0: no group has both subtrees and single fronts, and the panels of a group of
  // single fronts have at most this number of entries.  0: groups may have both.
  Offset front_panels = 0;
  // true: an imported update matrix gets memory only in the group of its front; false: from the
  // beginning of the factorization (GroupLimits::late_imports).
  bool late_imports = false;
};

/// Divides the fronts into groups of at most the given size.  The largest subtrees that fit into a
/// group become units, and each front above these subtrees becomes a unit of its own.  Units are
/// added to the current group in postorder.  A unit that does not fit into the current group begins
/// the next group.
/// Cost O(nsuper log(nsuper)).
/// @param alone  Nonzero for each supernode whose front must be a group of its own.  All ancestors
///               of such a front must be groups of their own, too.  Length nsuper; empty: none.
FrontGroups make_groups_of_size(const symbolic::SymbolicFactor& factor, const GroupSize& size,
                                std::span<const char> alone = {});

/// Tries group sizes from the largest down, and returns the first division into groups that keeps
/// limits.updates.  If no division keeps this limit, returns the division whose update matrices
/// need the least memory.  So the caller must compare FrontGroups::update_entries with the limit.
///
/// The groups of a front's imported children (GroupLimits::late_imports) come directly before the
/// front's group.
///
/// Within a unit that is a subtree, a front's update matrix may overwrite only update matrices of
/// the front's grandchildren and deeper descendants.  No kernel reads those matrices after
/// the front's children have been factored.  Therefore the fronts of a group may be factored in any
/// order in which children precede parents.
/// Units are added to groups in ascending order of turns, and in postorder among equal turns.
/// @param turns  Turn of each supernode.  Fronts of different turns are in different groups.
///               Length nsuper; empty: all turns are kUsualTurn.
/// Throws OutOfMemory when the panel of one front exceeds limits.panels.
/// Cost O(nsuper log(nsuper)) for each group size; at most a few dozen sizes are tried.
FrontGroups make_front_groups(const symbolic::SymbolicFactor& factor, const GroupLimits& limits,
                              std::span<const FrontTurn> turns = {});

/// Chooses limits for a device that has enough memory for the factor, so that update matrices do
/// not take much more memory than panels.  Tries two values of GroupLimits::updates, and chooses
/// the first value that a division into few enough groups keeps.  With p =
/// SymbolicInfo::nnz_stored, the number of entries of the panels' lower trapezoids, the values are:
///   1. 3/5 p, with at most 4 groups; only if p >= 2^30
///   2. 9/5 p, with at most 12 groups
/// A value that is not below most.updates is skipped.
/// @param most   Limits that the device imposes.
/// @param least  Lower bound of the two values: max(value, least) is tried instead of a value.
/// @return the chosen value as `updates`, most.panels as `panels`, and the default values of the
///         other members.  If no value is chosen, returns `most`.
/// Cost: one call of make_front_groups() for each limit that is tried.
GroupLimits usual_limits(const symbolic::SymbolicFactor& factor, const GroupLimits& most,
                         Offset least);

}  // namespace clchol::numeric
