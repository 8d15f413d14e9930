// Reference implementations of kernels/dense/permute_rhs.cl, on one thread of the CPU.  They copy
// right-hand sides from b, whose rows are in the caller's order, to x, whose rows are in the
// factor's order, and copy solutions from x to b.
#pragma once

#include <span>

#include "base/dense_view.hpp"

namespace clchol::gpu::reference {

/// Computes x(k, r) := scale[k] * b(i, r) with k = place[i], for all entries (i, r) of b.
/// @param place  row of x that receives a row of b.  Indexed by the row of b.  Length b.nrow.
/// @param scale  diagonal of the scaling.  Indexed by the row of x.  Empty: no scaling.
/// @param x      row-major with leading dimension b.ncol.
template <class T>
void gather_rhs(std::span<const Index> place, std::span<const T> scale, DenseView<const T> b,
                std::span<T> x);

/// Computes b(i, r) := scale[k] * x(k, r) with k = place[i], for all entries (i, r) of b.  The
/// parameters mean the same as in gather_rhs().
template <class T>
void scatter_rhs(std::span<const Index> place, std::span<const T> scale, std::span<const T> x,
                 DenseView<T> b);

}  // namespace clchol::gpu::reference
