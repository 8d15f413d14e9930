// Column counts of the Cholesky factor by skeleton leaves, without the pattern of L.  [GNP94]
//
// Row i of L is the subtree of the elimination tree spanned by i and the columns of row i of A.
// The count of column j is the number of rows whose subtree contains j.  It is found by sums over
// subtrees of the elimination tree: add 1 at every leaf of a row subtree, subtract 1 at the least
// common ancestor of consecutive leaves and at the parent of i [GNP94, Sec. 3].
//
// Subtrees of the elimination tree are counted in parallel.  For a row above the cut, such a
// subtree counts as one leaf.
#pragma once

#include <span>
#include <vector>

#include "symbolic/etree.hpp"
#include "symbolic/forest_cut.hpp"
#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

/// @param graph   Pattern, numbered in a postorder of its elimination tree.
/// @param forest  Elimination tree of `graph`.
/// @param cut     Cut of `forest` into subtrees that are counted in parallel.
/// @return colcount[j]: entries of column j of L, diagonal included.  Where vertex j stands for
/// several rows, the count is that of the first row's column.  Length n.
/// Cost nearly linear in the edges.  Workspace 3 n indices, and for each thread one index per node
/// above the cut.
std::vector<Index> column_counts(const PermutedGraph& graph, const PostorderedForest& forest,
                                 const ForestCut& cut, int threads = 1);

}  // namespace clchol::symbolic
