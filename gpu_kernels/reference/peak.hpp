// Reference implementations of kernels/dense/peak.cl: what its arithmetic loops compute.  The
// result of peak_copy is its operand, so it needs none.
#pragma once

#include <vector>

#include "gpu_kernels/dense/peak_shape.hpp"

namespace clchol::gpu::reference {

/// What the work-items of one work-group write; all work-groups write the same values.
template <class T>
std::vector<T> peak_fma(Index rounds);

/// What one warp writes, row by row; all warps write the same values.  Exact up to 4096 rounds.
std::vector<double> peak_mma(MmaShape shape, Index rounds);

}  // namespace clchol::gpu::reference
