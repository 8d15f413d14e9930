// Chooses the subtrees of small fronts in the forest of a solve.  One warp solves with all fronts
// of a subtree (kernels/fronts/subtree_solve.cl).  Fronts that are in no subtree are cut into tiles
// (kernels/fronts/front_solve.cl).
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

/// The chosen subtrees of a forest, numbered from 0.
struct Subtrees {
  // Number of the subtree that each front belongs to.  kNone: the front belongs to no subtree and
  // is cut into tiles.  Indexed by front.
  std::vector<Index> of_front;
  std::vector<double> time;  // Predicted microseconds that a warp takes.  Indexed by subtree.
  std::vector<Index> group;  // Group of the subtree's fronts.  Indexed by subtree.
};

/// Chooses the largest subtrees whose fronts are all small and in one group, and whose predicted
/// time is at most max(T / options.subtrees, 10 microseconds).  T is the sum of the predicted times
/// of all fronts f such that f and all descendants of f are small and in one group.  A front is
/// small when it has at most options.subtree_rows rows, and from 1 to options.subtree_columns pivot
/// columns.
Subtrees find_subtrees(std::span<const SolveFrontInput> fronts, const FrontSolveOptions& options);

}  // namespace clchol::gpu
