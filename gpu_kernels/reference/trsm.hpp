// Inverses of diagonal blocks of a lower triangle, and triangular solves from the right, on one
// thread of the CPU: references for kernels/dense/trinv.cl and kernels/dense/trsm.cl in tests and
// benchmarks.  kernels/dense/dense_args.h describes LowerTriangle and RightSolve.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Inverts all diagonal blocks of a lower triangle by substitution.  Each inverse is stored as
/// block x block entries, column-major, with zeros above the diagonal.  If the last diagonal block
/// has an order less than `block`, the inverse of this diagonal block is extended by rows and
/// columns of the identity to order `block`.
/// @param block     order of a diagonal block.
/// @param l         buffer that holds the triangle.  Entry (0, 0) is l[triangle.triangle].
/// @param inverses  receives the inverses, one after another, from offset triangle.inverses on.
template <class T>
void trinv(const LowerTriangle& triangle, Index block, std::span<const T> l, std::span<T> inverses);

/// Computes X := X * L^-T by substitution, for a lower triangle L.  X has solve.m rows and
/// triangle.order columns.  Does not use triangle.inverses and solve.triangle.
/// @param l  buffer that holds L.  Entry (0, 0) of L is l[triangle.triangle].
/// @param x  buffer that holds X.  Entry (0, 0) of X is x[solve.x].
template <class T>
void trsm(const RightSolve& solve, const LowerTriangle& triangle, std::span<const T> l,
          std::span<T> x);

}  // namespace clchol::gpu::reference
