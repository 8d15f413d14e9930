// Reference implementation of gpu_kernels/dense/potrf.hpp, for one panel: same operands and
// results, one thread, column by column.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Whether a pivot is good: its reciprocal is positive and finite.
template <class T>
bool is_good_pivot(T pivot);

/// Overwrites A(:, 0..ncol) with L.  Entries above the diagonal are not touched.
/// Returns the first pivot that is not good; column -1: all are.  Columns from that pivot's on are
/// undefined.
template <class T>
PivotStatus<T> factor_panel(const FrontPanel& front, std::span<T> panels);

}  // namespace clchol::gpu::reference
