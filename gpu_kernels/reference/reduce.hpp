// Reductions of vectors to one number, on one thread of the CPU: reference implementations of
// kernels/dense/reduce.cl.  Sums add their terms in ascending order of the index i.
#pragma once

#include <span>

namespace clchol::gpu::reference {

/// Returns sum_i x[i] * y[i].  x and y must have equal sizes.
template <class T>
T dot(std::span<const T> x, std::span<const T> y);

/// Returns sqrt(sum_i x[i]^2).  The sum is not scaled, so it may overflow.
template <class T>
T norm2(std::span<const T> x);

/// Returns max_i |x[i]|, or NaN when an entry is NaN.
template <class T>
T max_norm(std::span<const T> x);

}  // namespace clchol::gpu::reference
