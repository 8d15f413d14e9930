// Column counts of the Cholesky factor by skeleton leaves.  [GNP94]
//
// Row i of L is the subtree of the elimination tree spanned by i and the columns of row i of A.
// Column j gains one entry for each row whose subtree holds it; it suffices to add one at every
// leaf of a row subtree, to take one off at the least common ancestor of consecutive leaves and at
// the parent of i, and to sum over subtrees [GNP94, Sec. 3].
#pragma once

#include <span>
#include <vector>

#include "symbolic/permuted_graph.hpp"

namespace clchol::symbolic {

/// @param parent  elimination tree of `graph`, length n.
/// @param post    a postorder of it, length n.
/// @return colcount, length n: entries of column j of L, the diagonal included; where a vertex
///         stands for several rows, of the first one's column.
/// Cost nearly linear in the edges; workspace 5 n indices.
std::vector<Index> column_counts(const PermutedGraph& graph, std::span<const Index> parent,
                                 std::span<const Index> post);

}  // namespace clchol::symbolic
