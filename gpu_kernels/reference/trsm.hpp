// Inverses of diagonal blocks, and triangular solves from the right, on the CPU by one thread:
// references for kernels/dense/trinv.cl and kernels/dense/trsm.cl in tests and benchmarks.
// kernels/dense/dense_args.h describes LowerTriangle and RightSolve.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Inverts all diagonal blocks of a lower triangle by substitution.  Each inverse is stored as
/// block x block entries, column-major, with zeros above the diagonal.  If the last block is
/// smaller, the identity extends its inverse to order `block`.
/// @param block     order of the diagonal blocks.
/// @param l         buffer of the triangle, whose entry (0, 0) is l[triangle.triangle].
/// @param inverses  receives the inverses one after another, from entry triangle.inverses on.
template <class T>
void trinv(const LowerTriangle& triangle, Index block, std::span<const T> l, std::span<T> inverses);

/// Computes X := X * L^-T by substitution, without inverses of diagonal blocks.
/// @param l  buffer of L, whose entry (0, 0) is l[triangle.triangle].
/// @param x  buffer of X, whose entry (0, 0) is x[solve.x].
template <class T>
void trsm(const RightSolve& solve, const LowerTriangle& triangle, std::span<const T> l,
          std::span<T> x);

}  // namespace clchol::gpu::reference
