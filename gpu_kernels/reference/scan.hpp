// Reference implementation of kernels/dense/scan.cl: same operands and results, one thread,
// entries in ascending order.
#pragma once

#include <span>

namespace clchol::gpu::reference {

/// y[i] := sum_{k < i} x[k].  x and y must have equal sizes, and may be the same range.
template <class T>
void exclusive_scan(std::span<const T> x, std::span<T> y);

}  // namespace clchol::gpu::reference
