// Relaxed merging of supernodes by predicted time.  [AG89]
//
// Merging child c into parent p gives one front of ncol(c) + ncol(p) columns whose update rows are
// p's (the rows of c below its columns are rows of p): no row structure is needed, the counts tell
// the sizes.  The merge is kept when the predicted time of the merged front is below that of the
// two. Merging is therefore hard at the leaves, where overheads rule, and absent at the root, where
// zeros would be multiplied.
//
// Leaf siblings with the same update rows are merged by the same rule; this needs no chain and is
// what a bundle adjustment matrix, one front over tens of thousands of leaves, asks for.
#pragma once

#include <vector>

#include "symbolic/permuted_graph.hpp"
#include "symbolic/supernodes.hpp"

namespace clchol::symbolic {

struct AmalgamationOptions {
  bool enable = true;  ///< false: keep the exact supernodes.
  FrontCost cost;      ///< The engine's cost model.
};

/// Clusters of supernodes: the fronts of the assembly tree, parents after children.
struct FrontTree {
  SupernodePartition partition;  // Columns ascending within a front.
  std::vector<Index> parent;     // Parent front, kNone at a root.          Length nsuper.
  std::vector<Index> nupd;       // Order of the update matrix of a front.  Length nsuper.
  std::vector<char> stays;       // Whether it joins no parent.             Length nsuper.
};

/// The front tree of a partition, nothing merged.
FrontTree make_front_tree(SupernodePartition partition, const ColumnForest& columns);

/// Merges children into parents, then leaf siblings.
/// @param graph       whose vertices the columns are, in their numbering.
/// @param least_work  fronts of a subtree that is worth a thread.
/// Cost O(n + nnz(A)) and the sorting of siblings; workspace O(n + nnz(A)).
FrontTree amalgamate(const FrontTree& tree, const PermutedGraph& graph,
                     const AmalgamationOptions& options, Offset least_work, int threads = 1);

}  // namespace clchol::symbolic
