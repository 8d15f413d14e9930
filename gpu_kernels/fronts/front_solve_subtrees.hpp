// Which fronts of a solve are one warp's, subtree by subtree; the others are cut into tiles.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

struct Subtrees {
  std::vector<Index> of_front;  // kNone: a front in tiles.
  std::vector<double> time;     // Of each.
  std::vector<Index> group;     // Of each.
};

/// Largest subtrees that take at most their share of the time of all small fronts.
Subtrees find_subtrees(std::span<const SolveFrontInput> fronts, const FrontSolveOptions& options);

}  // namespace clchol::gpu
