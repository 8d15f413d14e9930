// Checks the input of make_front_solve().
#pragma once

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

/// Returns the number of update rows of a front.
inline Index nupd(const SolveFrontInput& front) { return front.nrow - front.ncol; }

/// Throws InvalidArgument in the cases that make_front_solve() (front_solve_tiles.hpp) lists, with
/// one exception: make_front_solve() itself checks that the update vectors have fewer than 2^31
/// rows.
/// Cost O(rows of all fronts).
void check_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
