// Row structure of the fronts: super_rowptr and super_rowind of the symbolic factor.  [Liu86]
//
// Only one list of rows per front is stored [Liu86]: the front's own columns, then its update rows.
// The rows of a column of the front are the tail of the list that begins at the column.
#pragma once

#include "symbolic/permuted_graph.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Fills super_rowptr and super_rowind.
///
/// Row i belongs to every front on the path from the front of k up to the front of i, for every
/// column k < i with an entry in row i of A: the row's subtree in the assembly tree.  Every front
/// receives its rows in ascending order, so the lists need no sorting.  Subtrees of fronts are
/// filled in parallel.  For a row above such a subtree, the path up to the subtree's root is
/// followed by the subtree's thread, and the path from the root's parent later.
/// @param graph       Pattern in the final numbering; the rows of a vertex lie in one front.
/// @param nupd        Order of the update matrix of each front.  Length nsuper.
/// @param least_work  A subtree whose fronts have fewer rows in all is not processed by a thread of
///                    its own.
/// Needs n, nsuper, super_ptr, super_of_col, super_parent and first_descendant.
/// Cost O(nnz(A) + length of the lists).  Workspace n + 4 nsuper indices, and for each thread one
/// index per vertex above the cut.
void build_row_structure(const PermutedGraph& graph, std::span<const Index> nupd, Offset least_work,
                         SymbolicFactor& factor, int threads = 1);

}  // namespace clchol::symbolic
