// Triangular solves with the fronts of a Cholesky factor L, on one thread of the CPU: references
// for kernels/fronts/forward_solve.cl and kernels/fronts/backward_solve.cl in tests and benchmarks.
//
// The kernels multiply by inverted diagonal blocks of L, which invert_diagonal_blocks() computes.
// forward_solve() and backward_solve() substitute with the entries of L and need no inverses.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

/// Operands of forward_solve() and backward_solve().
template <class T>
struct SolveOperands {
  Index nrhs = 1;  // Number of right-hand sides.
  // Panels of all fronts, which hold L.  The panel of a front begins at the offset Front::panel.
  std::span<const T> panels;
  // Right-hand sides, which the solutions overwrite: n x nrhs, row-major.  Rows are numbered as in
  // the permuted matrix.
  std::span<T> x;
  // Workspace of forward_solve(): a row-major matrix of nrhs columns, in which each front has nrow
  // rows, from row Front::vector on.  backward_solve() does not use this workspace.
  std::span<T> vectors;
};

/// Solves L y = b with the fronts of a wave: overwrites b by y in those rows of operands.x that are
/// pivot rows of the fronts, and writes the fronts' update vectors to operands.vectors, where the
/// calls for the parents read them.  Must be called after the calls for the children of the fronts.
/// @param wave  indices in lists.fronts of the wave's fronts.
template <class T>
void forward_solve(const FrontLists& lists, std::span<const Index> wave,
                   const SolveOperands<T>& operands);

/// Solves L' x = y with the fronts of a wave: overwrites y by x in those rows of operands.x that
/// are pivot rows of the fronts.  Must be called after the calls for the parents of the fronts.
/// @param wave  indices in lists.fronts of the wave's fronts.
template <class T>
void backward_solve(const FrontLists& lists, std::span<const Index> wave,
                    const SolveOperands<T>& operands);

/// Inverts the diagonal blocks of L.  The solve kernels multiply by the inverses.  Each inverse is
/// stored as block x block entries, column-major, with zeros above the diagonal.  If the last
/// diagonal block of a front has an order less than `block`, the inverse of this diagonal block is
/// extended by rows and columns of the identity to order `block`.
/// @param block     order of a diagonal block.
/// @param panels    panels of the fronts, which must hold L.  The panel of a front begins at the
///                  offset Front::panel.
/// @param inverses  receives the inverses.  The inverses of a front begin at the offset
///                  Front::inverses and lie one after another.
template <class T>
void invert_diagonal_blocks(std::span<const Front> fronts, Index block, std::span<const T> panels,
                            std::span<T> inverses);

}  // namespace clchol::gpu::reference
