// Row structure of the fronts.  [Liu86]
//
// Only one list per supernode is stored, the rows of its last column [Liu86]; the lists of its
// other columns follow by prepending its own columns.
#pragma once

#include "symbolic/permuted_graph.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Fills super_rowptr and super_rowind.
///
/// Row i is given to every front on the way from the fronts of its columns k < i up to its own
/// front: the row's subtree in the assembly tree.  Every front is given its rows in ascending
/// order, so that the lists come out sorted.  Subtrees of fronts are filled side by side; for a row
/// above, the way begins anew where it leaves such a subtree.
/// @param graph  pattern in the final numbering; the rows of a vertex lie in one front.
/// @param nupd   order of the update matrix of each front, length nsuper.
/// @param least_work  rows of a subtree's fronts that are worth a thread.
/// Needs n, nsuper, super_ptr, super_of_col, super_parent, first_descendant.
/// Cost O(nnz(A) + length of the lists); workspace n + 4 nsuper indices, and for each thread as
/// many as there are vertices above the cut.
void build_row_structure(const PermutedGraph& graph, std::span<const Index> nupd, Offset least_work,
                         SymbolicFactor& factor, int threads = 1);

}  // namespace clchol::symbolic
