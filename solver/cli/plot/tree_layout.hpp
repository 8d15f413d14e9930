// The assembly tree as areas: every front a rectangle whose area is its share of the flops.
//
// A front lies above its children, and these divide its width among them by their subtrees' flops.
// Then all subtrees of a front end at the same height, and the rectangles fill the unit square:
// read from below, it is how processors would pass the tree if each subtree had a share of them
// that fits its work, the proportional mapping of [PS93].  Small subtrees are merged, the siblings
// among them into one rectangle.
#pragma once

#include <vector>

#include "clchol/clchol.hpp"
#include "solver/cli/plot/svg.hpp"

namespace clchol::cli {

/// A front, or siblings' subtrees merged.
struct TreeNode {
  Index front = kNone;       // kNone for merged ones.
  Index num_fronts = 1;      // That it stands for.
  Index nrow = 0, ncol = 0;  // Of the front.
  Index parent = kNone;      // Position among the nodes.
  double flops = 0;          // Of the front, or of all that is merged.
  double subtree_flops = 0;  // Of the node and all below it.
  bool is_critical = false;  // On the critical path, or merged with the rest of it.
  Box box = {};              // In the unit square, the roots at y = 0.
};

struct TreeLayout {
  std::vector<TreeNode> nodes;  // Parents before children.
  double flops = 0;             // Of all fronts, amalgamation's zeros included.
  double critical_flops = 0;    // Of the path from a leaf to a root that has the most.
  Index height = 0;             // Fronts on the longest path.
};

/// Flops of a front: the sum of (nrow - k)^2 over its columns k.
double front_flops(Index nrow, Index ncol);

/// @param most_nodes  at least 2.  Half of it, the fronts with the largest subtrees, stand alone.
/// Cost O(fronts).
TreeLayout lay_out(const AssemblyTree& tree, Index most_nodes);

}  // namespace clchol::cli
