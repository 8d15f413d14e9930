// The plain twin of kernels/fronts/couple_blocks.cl: same contract, one thread.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu::reference {

/// What the kernel writes among the inverses, from the inverted blocks there and the panels.
void couple_blocks(std::span<const SolveCoupling> couplings, std::span<const double> panels,
                   std::span<double> inverses);

}  // namespace clchol::gpu::reference
