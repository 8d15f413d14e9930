// Prefix sums on one thread of the CPU: the reference for kernels/dense/scan.cl in tests and
// benchmarks.  Sums add their terms in ascending order of the index.
#pragma once

#include <span>

namespace clchol::gpu::reference {

/// Computes y[i] := sum_{k < i} x[k], so that y[0] = 0.  `x` and `y` must have equal sizes.  They
/// may be the same memory range.
template <class T>
void exclusive_scan(std::span<const T> x, std::span<T> y);

}  // namespace clchol::gpu::reference
