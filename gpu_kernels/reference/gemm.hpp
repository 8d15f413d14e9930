// Reference implementation of kernels/dense/gemm.cl, on one thread of the CPU: products of dense
// matrices.  Operands and results are those of the kernel.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Computes C := C - A B' when product.form has the bit CLCHOL_SUBTRACT, and C := -A B' otherwise.
/// C is m x n, A is m x k, B is n x k.  The sum for each entry of C adds its terms in ascending
/// order of the column of A and B.
///
/// Ignores product.front and product.pivots: the kernel skips the product when any of the first
/// product.pivots pivots of the front has failed; this function always computes the product.
/// @param a, b, c  buffers of A, B and C.  Entries (0, 0) are a[product.a], b[product.b] and
///                 c[product.c].
template <class T>
void gemm(const MatrixProduct& product, std::span<const T> a, std::span<const T> b, std::span<T> c);

}  // namespace clchol::gpu::reference
