// Reference implementation of kernels/fronts/couple_blocks.cl on one thread of the CPU.  Operands
// and results are those of the kernel.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu::reference {

/// Computes the listed couplings from the panels and the inverted diagonal blocks, one coupling
/// after another.
/// @param couplings  ordered as by make_front_solve(): every coupling comes after the couplings of
///                   kind CLCHOL_COUPLE_INSIDE that it is computed from.
/// @param panels     buffer that SolveCoupling::panel is an offset into; holds L.
/// @param inverses   buffer that SolveCoupling::inverses and SolveCoupling::couplings are offsets
///                   into.  Must hold the inverted diagonal blocks; receives the couplings.
void couple_blocks(std::span<const SolveCoupling> couplings, std::span<const double> panels,
                   std::span<double> inverses);

}  // namespace clchol::gpu::reference
