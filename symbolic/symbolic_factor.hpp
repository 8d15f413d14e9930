// What the pattern alone decides; immutable after symbolic::analyze().
//
// Everything is in the final numbering, in which every supernode's columns are contiguous and every
// subtree of the assembly tree is a range of supernodes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/uninitialized_vector.hpp"
#include "ordering/permutation.hpp"

namespace clchol::symbolic {

/// Counts of the analysis, for the report.
struct SymbolicInfo {
  Offset nnz_l = 0;         // Sum of column counts: entries of L without amalgamated zeros.
  double flops = 0;         // Sum of their squares.
  Offset nnz_stored = 0;    // Entries of the panels' lower trapezoids, amalgamated zeros included.
  double flops_stored = 0;  // Flops spent, amalgamated zeros included.
  Index tree_height = 0;    // Fronts on the longest path from a root.
  Index largest_nrow = 0;   // Rows of the front with the most rows.
  Index largest_ncol = 0;   // Pivot columns of that front.
  Index exact_supernodes = 0;    // Supernodes before amalgamation.
  Index dynamic_supernodes = 0;  // Of these, those that the renumbering made static.
  bool backward_search = false;  // Which of the two searches gave the better partition.
};

struct SymbolicFactor {
  Index n = 0;
  Index nsuper = 0;
  ordering::Permutation permutation;  // Of the rows of A; perm[new] = old.

  // Entries of column j of L, diagonal included.  Length n.
  std::vector<Index> colcount;

  // Supernode s owns columns [super_ptr[s], super_ptr[s+1]).  Length nsuper + 1.
  std::vector<Index> super_ptr;
  // Supernode of column j.  Length n.
  std::vector<Index> super_of_col;

  // Parent in the assembly tree, kNone at a root.  Length nsuper.
  std::vector<Index> super_parent;
  // The subtree of s is [first_descendant[s], s].  Length nsuper.
  std::vector<Index> first_descendant;
  // Start of s' children in child.  Length nsuper + 1.
  std::vector<Index> child_ptr;
  // Children, ascending: the order of extend-add.  Length nsuper - number of roots.
  std::vector<Index> child;

  // Start of s' rows in super_rowind.  Length nsuper + 1.
  std::vector<Offset> super_rowptr;
  // Rows of the front, ascending; the first ncol(s) are its own columns.
  // Length super_rowptr[nsuper].
  UninitializedVector<Index> super_rowind;
  // For each update row of s its position among the parent's rows; s' part starts at
  // relind_begin(s).  Length super_rowptr[nsuper] - n.
  UninitializedVector<Index> relind;

  SymbolicInfo info;

  /// Bytes of the arrays.
  Offset bytes() const {
    return bytes_of_all(permutation.perm, permutation.iperm, colcount, super_ptr, super_of_col,
                        super_parent, first_descendant, child_ptr, child, super_rowptr,
                        super_rowind, relind);
  }

  Index ncol(Index s) const { return super_ptr[s + 1] - super_ptr[s]; }
  Index nrow(Index s) const { return static_cast<Index>(super_rowptr[s + 1] - super_rowptr[s]); }
  Index nupd(Index s) const { return nrow(s) - ncol(s); }
  std::span<const Index> rows(Index s) const {
    return {super_rowind.data() + super_rowptr[s], static_cast<std::size_t>(nrow(s))};
  }
  /// Rows of the update matrix of s.
  std::span<const Index> update_rows(Index s) const { return rows(s).subspan(ncol(s)); }
  Offset relind_begin(Index s) const { return super_rowptr[s] - super_ptr[s]; }
  std::span<const Index> relative_indices(Index s) const {
    return {relind.data() + relind_begin(s), static_cast<std::size_t>(nupd(s))};
  }
  std::span<const Index> children(Index s) const {
    return {child.data() + child_ptr[s], static_cast<std::size_t>(child_ptr[s + 1] - child_ptr[s])};
  }
  /// How many leading update rows of child c fall into its parent's panel.
  Index panel_split(Index c) const {
    const auto r = relative_indices(c);
    return static_cast<Index>(std::lower_bound(r.begin(), r.end(), ncol(super_parent[c])) -
                              r.begin());
  }
};

}  // namespace clchol::symbolic
