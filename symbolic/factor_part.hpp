// The part of a symbolic factor that one of several executors factors.
//
// A part is a symbolic factor with a numbering of its own, so that an engine for whole factors is
// also an engine for parts.
//
//   fronts of the part     whole fronts, with their pivot columns and their entries of A
//   imported fronts        children of the part's fronts that other parts own: no columns here, the
//                          update matrices come from the other parts
//   exported fronts        fronts of the part whose parents other parts own: roots here, the update
//                          matrices go to the other parts
//
// The rows of a part are the pivot columns of its fronts, front by front, and then its *border*:
// the rows of its fronts that are pivot columns of other parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolic/entry_map.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

struct FactorPart {
  /// The part as a symbolic factor.  Fronts are numbered tree by tree; trees have the order of
  /// their roots in the whole factor.  The rows of a front keep the whole factor's order, so panels
  /// and update matrices equal those of the whole factor.  In the part's numbering the rows of a
  /// front may not ascend.  permutation.perm[row] is the row of A; permutation.iperm is empty.
  SymbolicFactor factor;
  std::vector<Index> super;     // Number of each front in the whole factor.  Length nsuper.
  std::vector<Index> row;       // Number of each row in the whole factor.  Length n.
  Index num_columns = 0;        // Pivot columns of the part: the rows before the border.
  std::vector<Index> imported;  // Imported fronts, in the part's numbering, ascending.
  std::vector<Index> exported;  // Exported fronts, in the part's numbering, ascending.
  /// level[s]: most hand-overs on a path from a leaf of the whole tree to front s.  For an imported
  /// front, its own hand-over is included.  Length nsuper.
  std::vector<Index> level;

  bool is_imported(Index s) const { return factor.ncol(s) == 0; }
};

/// Makes one part of a factor.
/// @param part  Part that owns each front of the whole factor.  Length nsuper.
/// @param p     Number of the part to make.  The part must own at least one front.
/// Executors that process their fronts level by level never wait for each other in a cycle, because
/// a front waits only for fronts of lower levels.  Cost O(n + length of the row lists).
FactorPart part_of_factor(const SymbolicFactor& factor, std::span<const Index> part, Index p);

/// Map from the entries of A in a part's columns to the panels of the part.
struct PartEntries {
  // Entry map of the part; entry_source is a position in `values`.
  EntryMap map;
  // Positions in A's values of the entries in the part's columns, ascending.
  std::vector<std::uint32_t> values;
};

/// Makes the entry map of a part from the entry map of the whole factor.  Cost O(n + nnz(A)).
PartEntries part_of_entries(const EntryMap& entries, const FactorPart& part);

}  // namespace clchol::symbolic
