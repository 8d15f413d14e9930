// Prefix sums on the CPU: the reference for kernels/dense/scan.cl in tests and benchmarks.  One
// thread adds the entries of x in ascending order of their indices.
#pragma once

#include <span>

namespace clchol::gpu::reference {

/// Computes y[i] := sum_{k < i} x[k], so that y[0] = 0.  `x` and `y` must have equal sizes, and may
/// be one range of memory.
template <class T>
void exclusive_scan(std::span<const T> x, std::span<T> y);

}  // namespace clchol::gpu::reference
