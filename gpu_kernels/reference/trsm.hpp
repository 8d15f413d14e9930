// Reference implementations of kernels/dense/trinv.cl and kernels/dense/trsm.cl: same operands and
// results, one thread.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Computes the inverses of all diagonal blocks of order `block` of a triangle, by substitution.
template <class T>
void trinv(const LowerTriangle& triangle, Index block, std::span<const T> l, std::span<T> inverses);

/// X := X * L^-T, by substitution, without inverses.
template <class T>
void trsm(const RightSolve& solve, const LowerTriangle& triangle, std::span<const T> l,
          std::span<T> x);

}  // namespace clchol::gpu::reference
