// Members of a symbolic factor that follow from its others; made by the analysis, and made again
// for a factor that was saved.
#pragma once

#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Fills super_of_col.  Needs n, nsuper, super_ptr.
void build_super_of_col(SymbolicFactor& factor);

/// Fills child_ptr, child and first_descendant.  Needs nsuper, super_parent: a postorder.
void build_children(SymbolicFactor& factor);

/// Fills relind: the position of each update row among the rows of the parent front [S82].
/// @return whether every update row stands there; relind is of no use otherwise.
/// Needs all members but info.
/// Cost: length of the lists of parents and children; workspace n indices per thread.
bool build_relative_indices(SymbolicFactor& factor, int threads);

/// Fills the members of info that are sums and extremes over columns and fronts.
void count_work(SymbolicFactor& factor);

}  // namespace clchol::symbolic
