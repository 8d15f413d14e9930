// Chooses the subtrees of small fronts of a solve.  One warp solves with a whole subtree
// (kernels/fronts/subtree_solve.cl).  All other fronts are cut into tiles.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

struct Subtrees {
  std::vector<Index> of_front;  // Subtree of each front; kNone: the front is cut into tiles.
  std::vector<double> time;     // Predicted microseconds of each subtree.
  std::vector<Index> group;     // Group of each subtree's fronts.
};

/// Finds the largest subtrees of small fronts of one group whose predicted time does not exceed a
/// bound: the time of all fronts that may be in subtrees, divided by options.subtrees, or 10
/// microseconds where that is more.
Subtrees find_subtrees(std::span<const SolveFrontInput> fronts, const FrontSolveOptions& options);

}  // namespace clchol::gpu
