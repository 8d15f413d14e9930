// Amalgamation: merges a child front into its parent where the cost model predicts a gain.  [AG89]
//
// amalgamate() takes the front tree of the exact supernodes, and returns the front tree after all
// merges.
//
// Merging child c into parent p gives one front with ncol(c) + ncol(p) columns.  The update rows of
// the merged front are those of p, because the rows of c below c's columns are rows of p.  The
// numbers of columns and of update rows therefore give the size of every merged front; no row
// structure is needed.  A merge is kept when the predicted time of the merged front is below the
// sum of the predicted times of the two fronts.  Merging is therefore frequent at the leaves, where
// overheads dominate, and absent at the root, where explicit zeros would be multiplied.
//
// Leaves of the tree with the same parent and equal update rows are merged by the same rule,
// although neither is the other's parent.  A bundle adjustment matrix, with one front above tens of
// thousands of leaves, needs such merges.
#pragma once

#include <vector>

#include "symbolic/permuted_graph.hpp"
#include "symbolic/supernodes.hpp"

namespace clchol::symbolic {

struct AmalgamationOptions {
  bool enable = true;  ///< Whether fronts are merged; false: each exact supernode is a front.
  FrontCost cost;      ///< Predicted time of one front on the engine that will factor.
};

/// Fronts of the assembly tree; a front has the columns of one supernode or, after merges, of
/// several.  Parents have larger numbers than their children.
struct FrontTree {
  SupernodePartition partition;  // Columns of each front, ascending within the front.
  std::vector<Index> parent;     // Parent of each front, kNone at a root.  Length nsuper.
  std::vector<Index> nupd;       // Order of each front's update matrix.  Length nsuper.
  std::vector<char> stays;       // 1: the front must not be merged into its parent.  Length nsuper.
};

/// Makes the front tree of a partition into supernodes: one front for each supernode.
FrontTree make_front_tree(SupernodePartition partition, const ColumnForest& columns);

/// Merges children into parents, then leaves with the same parent and equal update rows.
/// @param graph       Pattern whose rows are numbered as the columns of `tree`.
/// @param least_work  A subtree with fewer fronts than this is not a task of its own.
/// Cost O(n + nnz(A)) and the sorting of siblings; workspace O(n + nnz(A)).
FrontTree amalgamate(const FrontTree& tree, const PermutedGraph& graph,
                     const AmalgamationOptions& options, Offset least_work, int threads = 1);

}  // namespace clchol::symbolic
