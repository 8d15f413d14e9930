// Column counts of the Cholesky factor by skeleton leaves, without the pattern of L.  [GNP94]
//
// The columns with an entry in row i of L form a subtree of the elimination tree, the *row subtree*
// of i: its root is i, and it contains the columns of row i of A.  The count of column j is the
// number of row subtrees that contain j.  To find all counts at once, each row i adds a few numbers
// to columns: +1 at every leaf of its row subtree, -1 at the least common ancestor of every two
// consecutive leaves, and -1 at the parent of i.  The count of j is then the sum of all numbers
// that were added in the subtree of j in the elimination tree [GNP94, Sec. 3].
//
// Subtrees of the elimination tree below a cut are counted in parallel.  Then, for a row i above
// the cut, each such subtree in which row i has entries counts as one leaf of the row subtree of i.
#pragma once

#include <span>
#include <vector>

#include "symbolic/etree.hpp"
#include "symbolic/forest_cut.hpp"
#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

/// Counts the entries of every column of L.
/// @param graph   Pattern, numbered in a postorder of its elimination tree.
/// @param forest  Elimination tree of `graph`.
/// @param cut     Cut of `forest` into subtrees that are counted in parallel.
/// @return colcount[j]: number of entries of column j of L, diagonal included.  If vertex j of the
/// graph stands for several rows, the count is that of the first of their columns.  Length graph.n.
/// Cost nearly linear in the edges.  Workspace 3 n indices, and for each thread one index per node
/// above the cut.
std::vector<Index> column_counts(const PermutedGraph& graph, const PostorderedForest& forest,
                                 const ForestCut& cut, int threads = 1);

}  // namespace clchol::symbolic
