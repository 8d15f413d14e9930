// Lays out the assembly tree as rectangles that fill the unit square.  The area of a front's
// rectangle is the front's share of all flops.
//
//   +---------------+  y = 0
//   |     root      |
//   +---------+-----+
//   |    c    |  d  |   Children lie below their parent.  The widths of c and d are in proportion
//   +----+----+     |   to the flops of their subtrees.
//   | a  | b  |     |
//   +----+----+-----+  y = 1
//
// Under a front, the subtrees of all its children end at the same y, so no place remains empty.
// Read from bottom to top, the drawing shows how processors would go through the tree if each
// subtree had a number of processors in proportion to its flops: the proportional mapping of
// [PS93].  Small subtrees are merged: all small subtrees under one parent become one rectangle.
#pragma once

#include <vector>

#include "clchol/clchol.hpp"
#include "solver/cli/plot/svg.hpp"

namespace clchol::cli {

/// A front, or the merged subtrees of several siblings.
struct TreeNode {
  Index front = kNone;       // Number of the front; kNone: merged subtrees.
  Index num_fronts = 1;      // Number of fronts that the node stands for.
  Index nrow = 0, ncol = 0;  // Rows and pivot columns of the front; 0 for merged subtrees.
  Index parent = kNone;      // Index of the parent in TreeLayout::nodes; kNone: root.
  double flops = 0;          // Flops of the front, or of all merged fronts.
  double subtree_flops = 0;  // Flops of the node and of all nodes below it.
  // Whether the front, or one of the merged fronts, is on the critical path: the path from a leaf
  // to a root with the most flops.
  bool is_critical = false;
  Box box = {};  // The node's rectangle in the unit square; the roots are at y = 0.
};

/// The layout of a tree.
struct TreeLayout {
  std::vector<TreeNode> nodes;  // All nodes; parents come before children.
  double flops = 0;             // Sum of the flops of all fronts, explicit zeros included.
  double critical_flops = 0;    // Sum of the flops of the fronts on the critical path.
  Index height = 0;             // Number of fronts on the longest path from a leaf to a root.
};

/// @return the flops of a front: the sum of (nrow - k)^2 over its pivot columns k = 0 to ncol - 1.
double front_flops(Index nrow, Index ncol);

/// Lays out the tree.  The most_nodes / 2 fronts whose subtrees have the most flops get nodes of
/// their own.  The subtrees of other fronts are merged.
/// @param most_nodes  upper bound on the number of nodes, at least 2.
/// Cost O(fronts).
TreeLayout lay_out(const AssemblyTree& tree, Index most_nodes);

}  // namespace clchol::cli
