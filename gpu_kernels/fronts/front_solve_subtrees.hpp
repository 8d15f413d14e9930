// Which fronts of a solve are one warp's, subtree by subtree; the others are cut into tiles.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

struct Subtrees {
  std::vector<Index> of_front;  // The subtree of each front; kNone: the front is in tiles.
  std::vector<double> time;     // Predicted microseconds of each subtree.
  std::vector<Index> group;     // The group of each subtree.
};

/// Largest subtrees that take at most their share of the time of all small fronts.
Subtrees find_subtrees(std::span<const SolveFrontInput> fronts, const FrontSolveOptions& options);

}  // namespace clchol::gpu
