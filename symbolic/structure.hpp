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
/// Method: for every column k < i with an entry in row i of A, row i belongs to every front on the
/// path in the assembly tree from the front of k up to the front of i.  The rows i are taken in
/// ascending order, so that every front receives its rows in ascending order and no list needs
/// sorting.
///
/// Subtrees of fronts below a cut are filled in parallel.  If the front of row i is above the cut,
/// a path from a front of subtree t leaves the subtree: the thread that fills t follows the path up
/// to the root of t, and the part of the path above the cut is followed later.
/// @param graph       Pattern in the final numbering; the rows of a vertex lie in one front.
/// @param nupd        Order of the update matrix of each front.  Length nsuper.
/// @param least_work  A subtree whose fronts have fewer rows together than this is not a task of
///                    its own.
/// Needs n, nsuper, super_ptr, super_of_col, super_parent and first_descendant.
/// Cost O(nnz(A) + length of the lists).  Workspace n + 4 nsuper indices, and for each thread one
/// index per vertex above the cut.
void build_row_structure(const PermutedGraph& graph, std::span<const Index> nupd, Offset least_work,
                         SymbolicFactor& factor, int threads = 1);

}  // namespace clchol::symbolic
