// The part of a symbolic factor that one of several executors factors: a symbolic factor of its
// own, in a numbering of its own, so that an engine for whole factors is an engine for parts.
//
//   fronts of the part     whole fronts, with their pivot columns and their entries of A
//   imported fronts        children of the part's fronts that are other parts': no columns; their
//                          update matrices come from there
//   exported fronts        fronts of the part whose parents are other parts': roots here, whose
//                          update matrices go there
//
// Rows of the part are its own pivot columns, front by front, and behind them its *border*: rows of
// its fronts that are pivot columns of other parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolic/entry_map.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

struct FactorPart {
  /// Fronts are numbered tree by tree, trees by the numbers of their roots in the whole factor.
  /// Rows of a front have the whole factor's order, so that panels and updates are the same; in the
  /// part's numbering they may not ascend.  permutation.perm[row] is the row of A; iperm is empty.
  SymbolicFactor factor;
  std::vector<Index> super;     // Of each front, its number in the whole factor.  Length nsuper.
  std::vector<Index> row;       // Of each row, its number in the whole factor.  Length n.
  Index num_columns = 0;        // Rows before the border.
  std::vector<Index> imported;  // Ascending, in the part's numbering.
  std::vector<Index> exported;  // Ascending, in the part's numbering.
  /// Of each front: hand-overs on the longest way from a leaf of the whole tree to the front, an
  /// imported front's own hand-over included.  Length nsuper.
  std::vector<Index> level;

  bool is_imported(Index s) const { return factor.ncol(s) == 0; }
};

/// @param part  of each front of the whole factor.  Length nsuper.
/// @param p     the part that is wanted: at least one front has this number.
/// Executors that take their fronts by levels never wait for each other in a circle: what a front
/// of one level waits for is of lower levels. Cost O(n + length of the row lists).
FactorPart part_of_factor(const SymbolicFactor& factor, std::span<const Index> part, Index p);

/// Where the entries of A go that are in a part's columns.
struct PartEntries {
  EntryMap map;                       // entry_source: position among the part's values.
  std::vector<std::uint32_t> values;  // The part's positions in A's values, ascending.
};

/// @param entries  of the whole factor.  Cost O(n + nnz(A)).
PartEntries part_of_entries(const EntryMap& entries, const FactorPart& part);

}  // namespace clchol::symbolic
