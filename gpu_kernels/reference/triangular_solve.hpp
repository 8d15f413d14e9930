// The plain twins of kernels/fronts/forward_solve.cl and kernels/fronts/backward_solve.cl: same
// contracts, one thread; by substitution with L itself.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

template <class T>
struct SolveOperands {
  Index nrhs = 1;
  std::span<const T> panels;
  std::span<T> x;        // n x nrhs, row-major.
  std::span<T> vectors;  // Rows x nrhs, row-major.
};

template <class T>
void forward_solve(const FrontLists& lists, std::span<const Index> wave,
                   const SolveOperands<T>& operands);

template <class T>
void backward_solve(const FrontLists& lists, std::span<const Index> wave,
                    const SolveOperands<T>& operands);

/// The inverted diagonal blocks that the kernels read: block x block each, column-major, zeros
/// above the diagonal, the identity behind the last column.
template <class T>
void invert_diagonal_blocks(std::span<const Front> fronts, Index block, std::span<const T> panels,
                            std::span<T> inverses);

}  // namespace clchol::gpu::reference
