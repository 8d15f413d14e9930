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
  // Subtree that has the front.  kNone: the front is cut into tiles.  Indexed by front.
  std::vector<Index> of_front;
  std::vector<double> time;  // Predicted microseconds of a solve.  Indexed by subtree.
  std::vector<Index> group;  // Group of the subtree's fronts.  Indexed by subtree.
};

/// Chooses the largest subtrees whose fronts are all small and in one group, and whose predicted
/// time does not exceed a bound.  The bound is T / options.subtrees, but at least 10 microseconds;
/// T is the predicted time of all fronts that could be in a subtree if there were no bound.  A
/// front is small when it has at most options.subtree_rows rows and options.subtree_columns
/// pivot columns.
Subtrees find_subtrees(std::span<const SolveFrontInput> fronts, const FrontSolveOptions& options);

}  // namespace clchol::gpu
