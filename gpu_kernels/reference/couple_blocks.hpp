// Reference implementation of kernels/fronts/couple_blocks.cl, on one thread of the CPU: computes
// the couplings of the diagonal blocks of L.  Operands and results are those of the kernel.
//
// A coupling is a block of order 64 that is computed once, before all solves, and shortens every
// solve.  A span is a range of neighbouring diagonal blocks of a front, and W is the inverse of the
// span's triangle of L, in blocks of order 64.  There are three kinds of couplings:
//
//   CLCHOL_COUPLE_INSIDE   a block of W below W's diagonal blocks
//   CLCHOL_COUPLE_BEFORE   a block of W B, where B is the part of L in the rows of this span
//                          and in the columns of the span before
//   CLCHOL_COUPLE_BEHIND   a block of B W, where B is the part of L in the rows of the span
//                          after and in the columns of this span
//
// The formulas stand in kernels/fronts/front_solve_args.h.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu::reference {

/// Computes the couplings from the panels and the inverted diagonal blocks, one coupling after
/// another.
/// @param couplings  descriptions of the couplings.  A coupling must come after the couplings of
///                   kind CLCHOL_COUPLE_INSIDE that it reads, as in the list that
///                   make_front_solve() returns.
/// @param panels     panels of the fronts, which must hold L.  The panel of a coupling's front
///                   begins at the offset SolveCoupling::panel, in entries.
/// @param inverses   must hold each front's inverted diagonal blocks, which begin at the offset
///                   SolveCoupling::inverses.  Receives each coupling, at its place among the
///                   couplings of its front, which begin at the offset SolveCoupling::couplings.
void couple_blocks(std::span<const SolveCoupling> couplings, std::span<const double> panels,
                   std::span<double> inverses);

}  // namespace clchol::gpu::reference
