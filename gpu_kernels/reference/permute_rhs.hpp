// Reference implementations of kernels/dense/permute_rhs.cl: same operands and results, one
// thread.
#pragma once

#include <span>

#include "base/dense_view.hpp"

namespace clchol::gpu::reference {

/// x(k, r) := scale[k] * b(i, r), k = place[i].  x is row-major with leading dimension b.ncol.  An
/// empty scale is all ones.
template <class T>
void gather_rhs(std::span<const Index> place, std::span<const T> scale, DenseView<const T> b,
                std::span<T> x);

/// b(i, r) := scale[k] * x(k, r), k = place[i].  x and scale are as in gather_rhs().
template <class T>
void scatter_rhs(std::span<const Index> place, std::span<const T> scale, std::span<const T> x,
                 DenseView<T> b);

}  // namespace clchol::gpu::reference
