// The plain twin of kernels/dense/gemm.cl: same contract, one thread, entries in the order of k.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// C := C - A * B' or -A * B' as the product says; its front is not looked at.
/// a, b, c  the buffers that the product's positions count in.
template <class T>
void gemm(const MatrixProduct& product, std::span<const T> a, std::span<const T> b, std::span<T> c);

}  // namespace clchol::gpu::reference
