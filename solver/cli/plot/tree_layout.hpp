// Lays out the assembly tree as areas: the area of a front's rectangle is its share of the flops.
//
//   +---------------+  y = 0
//   |     root      |
//   +---------+-----+
//   |    c    |  d  |   Children lie below their parent.  The widths of c and d are in proportion
//   +----+----+     |   to the flops of their subtrees.
//   | a  | b  |     |
//   +----+----+-----+  y = 1
//
// Then all subtrees of a front end at the same height, and the rectangles fill the unit square.
// Read from bottom to top, the drawing shows how processors would go through the tree if each
// subtree had a number of processors in proportion to its flops: the proportional mapping of
// [PS93]. Small subtrees are merged; those with one parent become one rectangle.
#pragma once

#include <vector>

#include "clchol/clchol.hpp"
#include "solver/cli/plot/svg.hpp"

namespace clchol::cli {

/// A front, or the merged subtrees of several siblings.
struct TreeNode {
  Index front = kNone;       // Number of the front; kNone: merged subtrees.
  Index num_fronts = 1;      // Number of fronts that the node represents.
  Index nrow = 0, ncol = 0;  // Rows and pivot columns of the front; 0: merged subtrees.
  Index parent = kNone;      // Index of the parent in TreeLayout::nodes; kNone: root.
  double flops = 0;          // Flops of the front, or of all merged fronts.
  double subtree_flops = 0;  // Flops of the node and of all nodes below it.
  bool is_critical = false;  // The front, or one of the merged fronts, is on the critical path.
  Box box = {};              // Rectangle in the unit square; the roots are at y = 0.
};

struct TreeLayout {
  std::vector<TreeNode> nodes;  // Nodes; parents come before children.
  double flops = 0;             // Flops of all fronts, explicit zeros included.
  double critical_flops = 0;    // Most flops on a path from a leaf to a root.
  Index height = 0;             // Fronts on the longest path from a leaf to a root.
};

/// @return the flops of a front: the sum of (nrow - k)^2 over its columns k.
double front_flops(Index nrow, Index ncol);

/// Lays out the tree.  The most_nodes / 2 fronts with the largest subtrees get nodes of their own.
/// @param most_nodes  bound on the number of nodes, at least 2.
/// Cost O(fronts).
TreeLayout lay_out(const AssemblyTree& tree, Index most_nodes);

}  // namespace clchol::cli
