// Reference implementations, on one thread of the CPU, of the kernels peak_fma and peak_mma of
// kernels/dense/peak.cl, which measure a device's peak rates of arithmetic.  The third kernel of
// that file, peak_copy, needs no reference implementation: its result equals its operand.
#pragma once

#include <vector>

#include "gpu_kernels/dense/peak_shape.hpp"

namespace clchol::gpu::reference {

/// Returns the numbers that the work-items of a work-group of peak_fma write.  Each work-item
/// computes PeakFma<T>::kChains chains, and writes the sum of the chains' last numbers.  A chain is
/// a number x that each step overwrites by a x + b.  All work-groups write equal numbers.
/// @param rounds  number of rounds; each round has PeakFma<T>::kSteps steps.
/// @return the numbers, indexed by work-item.  Length kPeakWorkGroup.
template <class T>
std::vector<T> peak_fma(Index rounds);

/// Returns the matrix that a warp of peak_mma writes.  Each warp adds A * B `rounds` times to each
/// of MmaShape::kAccumulators matrices C, and writes the sum of these matrices.  All warps write
/// equal matrices.
/// @param rounds  number of additions of A * B to each matrix C.  The kernel's results are exact up
///                to MmaShape::kMostRounds rounds.
/// @return the entries of the matrix, row-major.  Length shape.m * MmaShape::kColumns.
std::vector<double> peak_mma(MmaShape shape, Index rounds);

}  // namespace clchol::gpu::reference
