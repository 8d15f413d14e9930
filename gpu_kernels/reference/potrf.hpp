// Reference implementation of gpu_kernels/dense/potrf.hpp for one panel, on one thread of the CPU.
// Factors column by column; operands and results are those of potrf.hpp.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Returns whether the pivot is good, which means that its reciprocal is positive and finite.
template <class T>
bool is_good_pivot(T pivot);

/// Factors the pivot columns of a front: overwrites the panel with L on and below the diagonal, and
/// does not access entries above the diagonal.  Stops at the first pivot that is not good.
/// @param front   the panel: FrontPanel::panel is an offset into `panels`.
/// @return        the first pivot that is not good, with `column` counted within the front; columns
///                from `column` on are then undefined.  `column` = kNone: all pivots are good.
template <class T>
PivotStatus<T> factor_panel(const FrontPanel& front, std::span<T> panels);

}  // namespace clchol::gpu::reference
