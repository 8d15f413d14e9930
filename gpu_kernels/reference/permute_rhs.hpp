// The plain twins of kernels/permute_rhs.cl: same contracts, one thread.
#pragma once

#include <span>

#include "base/dense_view.hpp"

namespace clchol::gpu::reference {

/// x(k, r) := scale[k] * b(perm[k], r); x is row-major with ld b.ncol, an empty scale is all ones.
template <class T>
void gather_rhs(std::span<const Index> perm, std::span<const T> scale, DenseView<const T> b,
                std::span<T> x);

/// b(perm[k], r) := scale[k] * x(k, r)
template <class T>
void scatter_rhs(std::span<const Index> perm, std::span<const T> scale, std::span<const T> x,
                 DenseView<T> b);

}  // namespace clchol::gpu::reference
