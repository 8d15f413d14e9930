// Column counts of the Cholesky factor by skeleton leaves.  [GNP94]
//
// Row i of L is the subtree of the elimination tree spanned by i and the columns of row i of A.
// Column j gains one entry for each row whose subtree holds it; it suffices to add one at every
// leaf of a row subtree, to take one off at the least common ancestor of consecutive leaves and at
// the parent of i, and to sum over subtrees [GNP94, Sec. 3].
//
// Subtrees of the elimination tree are counted side by side: for a row above, such a subtree is one
// leaf in the tree of what is above.
#pragma once

#include <span>
#include <vector>

#include "symbolic/etree.hpp"
#include "symbolic/forest_cut.hpp"
#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

/// @param graph   in a postorder of its elimination tree.
/// @param forest  its elimination tree.
/// @param cut     of the forest.
/// @return colcount, length n: entries of column j of L, the diagonal included; where a vertex
///         stands for several rows, of the first one's column.
/// Cost nearly linear in the edges; workspace 3 n indices, and for each thread as many as there are
/// nodes above the cut.
std::vector<Index> column_counts(const PermutedGraph& graph, const PostorderedForest& forest,
                                 const ForestCut& cut, int threads = 1);

}  // namespace clchol::symbolic
