// Factors the panel of one front, column by column, on one thread of the CPU: reference
// implementation of the factorization of panels in gpu_kernels/dense/potrf.hpp.  Update matrices
// are not computed.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Returns whether the pivot is good, which means that the reciprocal of the pivot is positive and
/// finite.
template <class T>
bool is_good_pivot(T pivot);

/// Factors the pivot columns of a front: overwrites the panel with L on and below the diagonal, and
/// does not access entries above the diagonal.  Stops at the first pivot that is not good.
/// @param front   shape of the panel, and the offset in `panels` of the panel's entry (0, 0).
/// @return the value of the first pivot that is not good, and its column, numbered within the
///         front.  This column and all later columns of the panel are then undefined.  The column
///         is kNone when all pivots are good.
template <class T>
PivotStatus<T> factor_panel(const FrontPanel& front, std::span<T> panels);

}  // namespace clchol::gpu::reference
