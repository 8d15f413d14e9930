// Reference implementation of kernels/fronts/couple_blocks.cl: same operands and results, one
// thread.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu::reference {

/// Computes couplings, in their order, from the panels and the inverted diagonal blocks.
/// @param couplings  in the order of make_front_solve(): couplings follow the INSIDE couplings that
///                   they need.
/// @param inverses   holds the inverted diagonal blocks; the couplings are written to it.
void couple_blocks(std::span<const SolveCoupling> couplings, std::span<const double> panels,
                   std::span<double> inverses);

}  // namespace clchol::gpu::reference
