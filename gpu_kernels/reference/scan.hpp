// The plain twin of kernels/dense/scan.cl: same contract, one thread, entries in order.
#pragma once

#include <span>

namespace clchol::gpu::reference {

/// y[i] := sum_{k < i} x[k].  x and y have one size and may be the same range.
template <class T>
void exclusive_scan(std::span<const T> x, std::span<T> y);

}  // namespace clchol::gpu::reference
