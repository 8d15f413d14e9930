// Reference implementation of kernels/fronts/couple_blocks.cl, on one thread of the CPU: computes
// the couplings of the diagonal blocks of L.  Operands and results are those of the kernel.
//
// A coupling is a block of order 64 that is computed once, before all solves, and shortens every
// solve.  A span is a range of neighbouring diagonal blocks of a front, and W is the inverse of the
// span's triangle of L.  Each coupling is a block of W, or of a product of W and L.  The formulas
// of the three kinds of couplings stand in kernels/fronts/front_solve_args.h.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu::reference {

/// Computes the couplings from the panels and the inverted diagonal blocks, one coupling after
/// another.
/// @param couplings  descriptions of the couplings.  A coupling must come after all couplings of
///                   kind CLCHOL_COUPLE_INSIDE from which it is computed, as in the list that
///                   make_front_solve() returns.
/// @param panels     panels of the fronts, which must hold L.  The panel of a coupling's front
/// begins
///                   at the offset SolveCoupling::panel.
/// @param inverses   must hold the inverted diagonal blocks, from offset SolveCoupling::inverses
///                   on; receives the couplings, from offset SolveCoupling::couplings on.
void couple_blocks(std::span<const SolveCoupling> couplings, std::span<const double> panels,
                   std::span<double> inverses);

}  // namespace clchol::gpu::reference
