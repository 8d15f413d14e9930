// The plain twins of kernels/dense/peak.cl: what its loops compute.  (A copy's twin is its
// operand.)
#pragma once

#include <vector>

#include "gpu_kernels/dense/peak_shape.hpp"

namespace clchol::gpu::reference {

/// What the work-items of one group write; all groups write the same.
template <class T>
std::vector<T> peak_fma(Index rounds);

/// What one warp writes, row by row; all warps write the same.  Exact up to 4096 rounds.
std::vector<double> peak_mma(MmaShape shape, Index rounds);

}  // namespace clchol::gpu::reference
