// Members of a symbolic factor that follow from its other members.  The analysis computes them, and
// restore() computes them for a factor that was saved without them.
#pragma once

#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Fills super_of_col.  Needs n, nsuper, super_ptr.
void build_super_of_col(SymbolicFactor& factor);

/// Fills child_ptr, child and first_descendant.  Needs nsuper and super_parent, which must number
/// the fronts in a postorder.
void build_children(SymbolicFactor& factor);

/// Fills relind: the position of each update row among the rows of the parent front [S82].
/// @return whether every update row is a row of the parent front.  If not, the structure is bad,
/// and relind must not be used. Needs all members except relind and info. Cost: length of the row
/// lists of parents and children; workspace n indices per thread.
bool build_relative_indices(SymbolicFactor& factor, int threads);

/// Fills the members of info that are sums and maxima over columns and fronts: nnz_l, flops,
/// nnz_stored, flops_stored, tree_height, largest_nrow and largest_ncol.
void count_work(SymbolicFactor& factor);

}  // namespace clchol::symbolic
