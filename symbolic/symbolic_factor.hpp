// The symbolic factor: structure of L and of the fronts, which depends on the pattern of A alone.
// symbolic::analyze() makes it; afterwards it does not change.
//
// All members number rows and columns as in the permuted matrix P A P'.  In this numbering the
// columns of a supernode are contiguous.  A subtree of the assembly tree is a range of supernodes.
// The fronts of one device are a symbolic factor, too, with a numbering of their own
// (factor_part.hpp).
//
// Amalgamation merges supernodes, which adds explicit zeros to L.  These zeros are called
// amalgamated zeros below.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/bytes_of.hpp"
#include "base/uninitialized_vector.hpp"
#include "ordering/permutation.hpp"

namespace clchol::symbolic {

/// Statistics of a symbolic factor and of the analysis that made it.
struct SymbolicInfo {
  Offset nnz_l = 0;  // Entries of L without amalgamated zeros: sum of the column counts.
  double flops = 0;  // Flops without amalgamated zeros: sum of the squares of the column counts.
  Offset nnz_stored = 0;    // Entries of the panels' lower trapezoids, amalgamated zeros included.
  double flops_stored = 0;  // Flops of a factorization, amalgamated zeros included.
  Index tree_height = 0;    // Number of fronts on the longest path from a root to a leaf.
  Index largest_nrow = 0;   // Number of rows of the front with the most rows.
  Index largest_ncol = 0;   // Number of pivot columns of the front with the most rows.
  Index exact_supernodes = 0;  // Number of supernodes before amalgamation.
  // Number of supernodes before amalgamation whose columns were not contiguous in the given
  // ordering; the analysis has renumbered these columns.
  Index dynamic_supernodes = 0;
  // Which search for supernodes gave the partition with the shorter predicted time.  true: the
  // search from the last column down; false: from the first column up (symbolic/supernodes.hpp).
  bool backward_search = false;
};

/// Structure of a factor: supernodes, assembly tree, and the rows of each front.  Each supernode s
/// has one front.
struct SymbolicFactor {
  Index n = 0;                        // Order of A.
  Index nsuper = 0;                   // Number of supernodes.
  ordering::Permutation permutation;  // Permutation of the rows of A; perm[new] = old.

  // Number of entries of each column of L: diagonal included, amalgamated zeros not included.
  // Length n.
  std::vector<Index> colcount;

  // Supernode s has the columns [super_ptr[s], super_ptr[s+1]).  Length nsuper + 1.
  std::vector<Index> super_ptr;
  // Supernode of each column.  Length n.
  std::vector<Index> super_of_col;

  // Parent of each supernode in the assembly tree, kNone at a root.  Length nsuper.
  std::vector<Index> super_parent;
  // The subtree of supernode s consists of the supernodes first_descendant[s], ..., s.
  // Length nsuper.
  std::vector<Index> first_descendant;
  // Index in `child` of the first child of each supernode.  Length nsuper + 1.
  std::vector<Index> child_ptr;
  // Children of all supernodes, parent by parent, ascending within a parent.  A parent adds its
  // children's update matrices in this order.  Length nsuper - number of roots.
  std::vector<Index> child;

  // Index in super_rowind of the first row of each front.  Length nsuper + 1.
  std::vector<Offset> super_rowptr;
  // Row numbers of all fronts, front by front, ascending within a front.  The first ncol(s) rows of
  // front s are the front's pivot columns; the other rows are its update rows.
  // Length super_rowptr[nsuper].
  UninitializedVector<Index> super_rowind;
  // Relative indices: for each update row of each front, its position among the rows of the front's
  // parent.  The relative indices of front s begin at relind_begin(s).
  // Length super_rowptr[nsuper] - n.
  UninitializedVector<Index> relind;

  SymbolicInfo info;

  /// Returns the bytes of the arrays.
  Offset bytes() const {
    return bytes_of_all(permutation.perm, permutation.iperm, colcount, super_ptr, super_of_col,
                        super_parent, first_descendant, child_ptr, child, super_rowptr,
                        super_rowind, relind);
  }

  /// Returns the number of pivot columns of front s.
  Index ncol(Index s) const { return super_ptr[s + 1] - super_ptr[s]; }
  /// Returns the number of rows of front s, pivot columns included.
  Index nrow(Index s) const { return static_cast<Index>(super_rowptr[s + 1] - super_rowptr[s]); }
  /// Returns the number of update rows of front s, the order of its update matrix.
  Index nupd(Index s) const { return nrow(s) - ncol(s); }
  /// Returns the row numbers of front s, pivot columns first.
  std::span<const Index> rows(Index s) const {
    return {super_rowind.data() + super_rowptr[s], static_cast<std::size_t>(nrow(s))};
  }
  /// Returns the row numbers of front s without its pivot columns: those of the update matrix.
  std::span<const Index> update_rows(Index s) const { return rows(s).subspan(ncol(s)); }
  /// Returns the index in relind of the first update row of front s.
  Offset relind_begin(Index s) const { return super_rowptr[s] - super_ptr[s]; }
  /// Returns the positions of front s's update rows among the rows of its parent.
  std::span<const Index> relative_indices(Index s) const {
    return {relind.data() + relind_begin(s), static_cast<std::size_t>(nupd(s))};
  }
  /// Returns the children of supernode s, ascending.
  std::span<const Index> children(Index s) const {
    return {child.data() + child_ptr[s], static_cast<std::size_t>(child_ptr[s + 1] - child_ptr[s])};
  }
  /// Returns how many update rows of front c are pivot columns of c's parent.  These are the first
  /// update rows of c; the other ones are update rows of the parent.  c must not be a root.
  Index panel_split(Index c) const {
    const auto r = relative_indices(c);
    return static_cast<Index>(std::lower_bound(r.begin(), r.end(), ncol(super_parent[c])) -
                              r.begin());
  }
};

}  // namespace clchol::symbolic
