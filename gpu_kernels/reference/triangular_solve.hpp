// Triangular solves with the fronts of a factor L on the CPU, by one thread: references for
// kernels/fronts/forward_solve.cl and kernels/fronts/backward_solve.cl in tests and benchmarks.
//
// The kernels multiply by inverted diagonal blocks of L.  The references substitute with the
// entries of L; invert_diagonal_blocks() makes the inverted blocks for the kernels.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

/// Operands of forward_solve() and backward_solve().
template <class T>
struct SolveOperands {
  Index nrhs = 1;             // Number of right-hand sides.
  std::span<const T> panels;  // Panels of all fronts, each from entry Front::panel on.
  // Right-hand sides, which the solutions overwrite.  n x nrhs, row-major, rows in the factor's
  // order.
  std::span<T> x;
  // Workspace of forward_solve(): nrow rows for each front, from row Front::vector on.  Row-major,
  // nrhs entries in each row.
  std::span<T> vectors;
};

/// Overwrites x with L^-1 x in the pivot rows of a wave's fronts.  Leaves each front's update
/// vector in operands.vectors for the front's parent.  Must be called after the waves of the
/// fronts' children.
/// @param wave  indices of the wave's fronts in lists.fronts.
template <class T>
void forward_solve(const FrontLists& lists, std::span<const Index> wave,
                   const SolveOperands<T>& operands);

/// Overwrites x with L^-T x in the pivot rows of a wave's fronts.  Must be called after the waves
/// of the fronts' parents.
/// @param wave  indices of the wave's fronts in lists.fronts.
template <class T>
void backward_solve(const FrontLists& lists, std::span<const Index> wave,
                    const SolveOperands<T>& operands);

/// Inverts the diagonal blocks of L, which the solve kernels multiply by.  Each inverse is stored
/// as block x block entries, column-major, with zeros above the diagonal.  If the last block of a
/// front has fewer than `block` pivot columns, the identity extends its inverse to order `block`.
/// @param block     number of pivot columns of a diagonal block.
/// @param inverses  receives a front's inverses one after another, from entry Front::inverses on.
template <class T>
void invert_diagonal_blocks(std::span<const Front> fronts, Index block, std::span<const T> panels,
                            std::span<T> inverses);

}  // namespace clchol::gpu::reference
