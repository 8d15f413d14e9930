// Checks the input of make_front_solve().
#pragma once

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

/// Throws InvalidArgument in the cases that make_front_solve() lists, except for the case of too
/// many update rows, which make_front_solve() checks itself.  Cost O(rows of all fronts).
void check_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options);

}  // namespace clchol::gpu
