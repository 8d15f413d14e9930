// Reference implementations of kernels/dense/reduce.cl: same operands and results, one thread,
// entries in ascending order.
#pragma once

#include <span>

namespace clchol::gpu::reference {

/// sum_i x[i] * y[i].  x and y must have equal sizes.
template <class T>
T dot(std::span<const T> x, std::span<const T> y);

/// sqrt(sum_i x[i]^2).  The sum may overflow.
template <class T>
T norm2(std::span<const T> x);

/// max_i |x[i]|; NaN when an entry is NaN.
template <class T>
T max_norm(std::span<const T> x);

}  // namespace clchol::gpu::reference
