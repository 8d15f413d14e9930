// Reference implementation of kernels/dense/gemm.cl on one thread of the CPU.  Operands and results
// are those of the kernel.  Each sum over k adds its terms in ascending order of k.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Computes C := C - A B' when product.form has the bit CLCHOL_SUBTRACT, and C := -A B' otherwise.
/// Ignores product.front and product.pivots.
/// @param a, b, c  buffers that product.a, product.b and product.c are offsets into.
template <class T>
void gemm(const MatrixProduct& product, std::span<const T> a, std::span<const T> b, std::span<T> c);

}  // namespace clchol::gpu::reference
