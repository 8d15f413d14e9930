// Reference implementations of kernels/dense/permute_rhs.cl on one thread of the CPU: copy
// right-hand sides b in the caller's row order to x in the factor's row order, and solutions back.
#pragma once

#include <span>

#include "base/dense_view.hpp"

namespace clchol::gpu::reference {

/// Computes x(k, r) := scale[k] * b(i, r) with k = place[i], for all entries (i, r) of b.
/// @param place  row of x for each row of b.
/// @param scale  factor of each row of x.  Empty: no scaling.
/// @param x      row-major with leading dimension b.ncol.
template <class T>
void gather_rhs(std::span<const Index> place, std::span<const T> scale, DenseView<const T> b,
                std::span<T> x);

/// Computes b(i, r) := scale[k] * x(k, r) with k = place[i], for all entries (i, r) of b.
/// Parameters are as in gather_rhs().
template <class T>
void scatter_rhs(std::span<const Index> place, std::span<const T> scale, std::span<const T> x,
                 DenseView<T> b);

}  // namespace clchol::gpu::reference
