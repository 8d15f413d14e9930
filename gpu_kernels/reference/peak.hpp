// Reference implementations of the kernels peak_fma and peak_mma of kernels/dense/peak.cl, which
// measure a device's peak rates of arithmetic.  The kernel peak_copy needs no reference
// implementation, because its result equals its operand.
#pragma once

#include <vector>

#include "gpu_kernels/dense/peak_shape.hpp"

namespace clchol::gpu::reference {

/// Returns the sums that the work-items of one work-group write, which are equal for all
/// work-groups.  Indexed by work-item.  Length kPeakWorkGroup.
/// @param rounds  number of rounds of PeakFma<T>::kSteps multiply-adds in each chain.
template <class T>
std::vector<T> peak_fma(Index rounds);

/// Returns the sum of the matrices C that one warp writes, which is equal for all warps: shape.m x
/// MmaShape::kColumns entries, row-major.
/// @param rounds  number of additions of A * B to each matrix C.  Up to MmaShape::kMostRounds, the
///                entries are exact.
std::vector<double> peak_mma(MmaShape shape, Index rounds);

}  // namespace clchol::gpu::reference
