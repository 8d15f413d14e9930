// The plain twin of potrf: same contract for a panel, one thread, column by column.
#pragma once

#include <span>

#include "gpu_kernels/dense/dense_args.hpp"

namespace clchol::gpu::reference {

/// Whether a pivot may be divided by: its reciprocal is positive and finite.
template <class T>
bool is_good_pivot(T pivot);

/// A(:, 0..ncol) becomes L in place; entries above the diagonal are not touched.
/// Returns the first pivot that fails, column -1 without one; columns from it on are undefined
/// then.
template <class T>
PivotStatus<T> factor_panel(const FrontPanel& front, std::span<T> panels);

}  // namespace clchol::gpu::reference
