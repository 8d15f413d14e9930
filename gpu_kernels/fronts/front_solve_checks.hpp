// What make_front_solve() refuses.
#pragma once

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

/// Throws InvalidArgument, as make_front_solve() says.  Cost O(rows of all fronts).
void check_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
