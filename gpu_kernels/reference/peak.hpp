// Reference implementations, on one thread of the CPU, of the kernels peak_fma and peak_mma of
// kernels/dense/peak.cl, which measure a device's peak rates of arithmetic.  The third kernel of
// that file, peak_copy, needs no reference implementation: its result equals its operand.
#pragma once

#include <vector>

#include "gpu_kernels/dense/peak_shape.hpp"

namespace clchol::gpu::reference {

/// Returns the numbers that the work-items of a work-group of peak_fma write.  Each work-item
/// computes PeakFma<T>::kChains chains, and writes the sum of the chains' last numbers.  A chain is
/// a number x; each step computes x := a x + b, with a = PeakFma<T>::kFactor and b =
/// PeakFma<T>::kTerm.  The first x depends only on the chain and on the work-item's number in its
/// work-group, so all work-groups write equal numbers.
/// @param rounds  number of rounds; each round has PeakFma<T>::kSteps steps.
/// @return the numbers, indexed by work-item.  Length kPeakWorkGroup.
template <class T>
std::vector<T> peak_fma(Index rounds);

/// Returns the matrix that a warp of peak_mma writes.  Each warp adds A * B `rounds` times to each
/// of MmaShape::kAccumulators matrices C, and writes the sum of these matrices.  The entries of A
/// and B are fixed integers in [-2^17, 2^17).  Initially, all entries of matrix number q are q,
/// where q counts the matrices C from 0.  All warps have the same A, B and C, so they write equal
/// matrices.
/// @param rounds  number of additions of A * B to each matrix C.  Up to MmaShape::kMostRounds
///                rounds, all sums are integers below 2^53, so the kernel computes them exactly.
/// @return the entries of the matrix, row-major.  Length shape.m * MmaShape::kColumns.
std::vector<double> peak_mma(MmaShape shape, Index rounds);

}  // namespace clchol::gpu::reference
