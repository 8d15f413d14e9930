// Checks the input of make_front_solve().
#pragma once

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

/// Throws InvalidArgument in the cases that are listed at make_front_solve(), except when the
/// update vectors have 2^31 rows or more: make_front_solve() checks this itself.
/// Cost O(rows of all fronts).
void check_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
