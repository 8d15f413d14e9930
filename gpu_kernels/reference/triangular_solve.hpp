// Reference implementations of kernels/fronts/forward_solve.cl and
// kernels/fronts/backward_solve.cl, by one thread of the CPU.  They solve by substitution with L
// and need no inverted diagonal blocks.
#pragma once

#include <span>

#include "gpu_kernels/fronts/fronts.hpp"

namespace clchol::gpu::reference {

template <class T>
struct SolveOperands {
  Index nrhs = 1;
  std::span<const T> panels;
  std::span<T> x;        // n x nrhs, row-major: right-hand sides in, solutions out.
  std::span<T> vectors;  // Work vectors of all fronts: rows x nrhs, row-major.
};

/// Forward solve with the fronts of a wave, after the waves of their children.
template <class T>
void forward_solve(const FrontLists& lists, std::span<const Index> wave,
                   const SolveOperands<T>& operands);

/// Backward solve with the fronts of a wave, after the waves of their parents.
template <class T>
void backward_solve(const FrontLists& lists, std::span<const Index> wave,
                    const SolveOperands<T>& operands);

/// Computes the inverted diagonal blocks that the kernels read.  A block has block x block entries,
/// column-major, with zeros above the diagonal.  Behind the front's last pivot column it is the
/// identity.
template <class T>
void invert_diagonal_blocks(std::span<const Front> fronts, Index block, std::span<const T> panels,
                            std::span<T> inverses);

}  // namespace clchol::gpu::reference
