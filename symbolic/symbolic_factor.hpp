// The symbolic factor: structure of L and of the fronts, which depends on the pattern of A alone.
// It is immutable after symbolic::analyze().
//
// All members use the final numbering.  In it the columns of a supernode are contiguous, and a
// subtree of the assembly tree is a range of supernodes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/uninitialized_vector.hpp"
#include "ordering/permutation.hpp"

namespace clchol::symbolic {

/// Statistics of the analysis.
struct SymbolicInfo {
  Offset nnz_l = 0;  // Entries of L without amalgamated zeros: sum of the column counts.
  double flops = 0;  // Flops without amalgamated zeros: sum of the squares of the column counts.
  Offset nnz_stored = 0;    // Entries of the panels' lower trapezoids, amalgamated zeros included.
  double flops_stored = 0;  // Flops spent, amalgamated zeros included.
  Index tree_height = 0;    // Fronts on the longest path from a root to a leaf.
  Index largest_nrow = 0;   // Rows of the front with the most rows.
  Index largest_ncol = 0;   // Pivot columns of the front with the most rows.
  Index exact_supernodes = 0;  // Supernodes before amalgamation.
  // Exact supernodes whose columns only the renumbering made contiguous.
  Index dynamic_supernodes = 0;
  // true: the backward search gave the better partition; false: the forward search.
  bool backward_search = false;
};

struct SymbolicFactor {
  Index n = 0;
  Index nsuper = 0;
  ordering::Permutation permutation;  // Permutation of the rows of A; perm[new] = old.

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
  // Index in `child` of the first child of s.  Length nsuper + 1.
  std::vector<Index> child_ptr;
  // Children of all supernodes, ascending within a parent: the order of extend-add.
  // Length nsuper - number of roots.
  std::vector<Index> child;

  // Index in super_rowind of the first row of s.  Length nsuper + 1.
  std::vector<Offset> super_rowptr;
  // Rows of all fronts, ascending within a front; the first ncol(s) rows of s are its own columns.
  // Length super_rowptr[nsuper].
  UninitializedVector<Index> super_rowind;
  // Position of each update row of s among the rows of its parent.  The update rows of s begin at
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
  /// Number of leading update rows of child c that are pivot columns of its parent.
  Index panel_split(Index c) const {
    const auto r = relative_indices(c);
    return static_cast<Index>(std::lower_bound(r.begin(), r.end(), ncol(super_parent[c])) -
                              r.begin());
  }
};

}  // namespace clchol::symbolic
