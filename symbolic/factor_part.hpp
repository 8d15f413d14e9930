// A *part* of a symbolic factor: the fronts that one of several executors, such as a device,
// factors.
//
// A part is a symbolic factor with a numbering of its own, so that an engine for whole factors is
// also an engine for parts.  The part has two kinds of fronts:
//
//   owned fronts      fronts that the part's executor factors, with their pivot columns and their
//                     entries of A.  An owned front is *exported* if another part owns its parent:
//                     the front is a root in this part, and its update matrix is handed over to the
//                     parent's part.
//   imported fronts   fronts that other parts own and whose parents this part owns.  In this part
//                     they have no pivot columns; only their update matrices are received.
//
// The rows of a part are the pivot columns of the owned fronts, front by front, and then the
// *border*: the other rows of the owned fronts, which are pivot columns of other parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolic/entry_map.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// A part, and how it is connected with the whole factor.  n and nsuper are those of the part.
struct FactorPart {
  /// The part as a symbolic factor.  Fronts are numbered tree by tree; trees have the order of
  /// their roots in the whole factor.  The rows of a front keep the whole factor's order, so that
  /// panels and update matrices equal those of the whole factor.  Therefore the part's row numbers
  /// need not ascend within a front.  permutation.perm[i] is the row of A that is row i of the
  /// part; permutation.iperm is empty.
  SymbolicFactor factor;
  std::vector<Index> super;  // Number of each front in the whole factor.  Length nsuper.
  std::vector<Index> row;    // Number of each row in the whole factor.  Length n.
  Index num_columns = 0;     // Number of pivot columns; the border is rows num_columns, ..., n - 1.
  std::vector<Index> imported;  // Imported fronts, in the part's numbering, ascending.
  std::vector<Index> exported;  // Exported fronts, in the part's numbering, ascending.
  /// level[s]: greatest number of hand-overs on a path, in the whole factor's assembly tree, from a
  /// leaf to front s.  A hand-over is an edge of the tree whose child and parent have different
  /// owners.  For an imported front s, the hand-over of s to this part is included.  Length nsuper.
  std::vector<Index> level;

  /// Returns whether front s, in the part's numbering, is imported.
  bool is_imported(Index s) const { return factor.ncol(s) == 0; }
};

/// Makes part p of a factor.
///
/// If all executors process their fronts in ascending order of FactorPart::level, executors cannot
/// wait for each other in a cycle.  The reason: an owned front whose child is imported has a higher
/// level than the child has in the part that owns the child.
/// @param factor  The whole factor.
/// @param part    Number of the part that owns each front of the whole factor.  Length nsuper.
/// @param p       Number of the part to make.  The part must own at least one front.
/// Cost O(n + length of the whole factor's row lists).
FactorPart part_of_factor(const SymbolicFactor& factor, std::span<const Index> part, Index p);

/// Map from the entries of A in a part's pivot columns to the panels of the part.  The part has an
/// array of values of its own: the values of these entries, in the order of A's values.
struct PartEntries {
  // Entry map of the part.  map.entry_source[k] is an index in the part's array of values.
  EntryMap map;
  // Index in A's values of each element of the part's array of values, ascending.
  std::vector<std::uint32_t> values;
};

/// Makes the entry map of a part.
/// @param entries  Entry map of the whole factor.
/// Cost O(n + nnz(A)).
PartEntries part_of_entries(const EntryMap& entries, const FactorPart& part);

}  // namespace clchol::symbolic
