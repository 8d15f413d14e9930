// Reference implementation of kernels/dense/gemm.cl: same operands and results, one thread, each
// sum in the order of k.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// C := C - A * B', or C := -A * B' without CLCHOL_SUBTRACT in product.form.  product.front and
/// product.pivots are ignored.
/// @param a, b, c  the buffers; the product's positions count from their begin.
template <class T>
void gemm(const MatrixProduct& product, std::span<const T> a, std::span<const T> b, std::span<T> c);

}  // namespace clchol::gpu::reference
