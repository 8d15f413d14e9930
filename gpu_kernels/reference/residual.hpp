// The plain twins of kernels/dense/residual.cl and kernels/dense/row_reduce.cl: same contracts, one
// thread.
#pragma once

#include <array>
#include <span>

#include "base/csc.hpp"

namespace clchol::gpu::reference {

/// r := b - A x, magnitude := |A| |x| + |b|, for the symmetric A of this lower triangle.
template <class T>
void residual(const CscPatternView& lower, std::span<const T> values, std::span<const T> b,
              std::span<const T> x, std::span<T> r, std::span<T> magnitude);

/// sums[i] := sum_j |a_ij| s_i s_j; an empty scale is all ones.
template <class T>
void row_sums(const CscPatternView& lower, std::span<const T> values, std::span<const T> scale,
              std::span<T> sums);

/// max |r|, max |x|, max |b|, max_i |r_i| / magnitude_i (0/0 counts as 0).
template <class T>
std::array<T, 4> error_maxima(std::span<const T> r, std::span<const T> x, std::span<const T> b,
                              std::span<const T> magnitude);

/// s * sum_k v[k] A(i, k) B(i, k) for one row, whose entries lie `stride_a`, `stride_b` apart.
template <class T>
T row_reduce(T s, std::span<const T> v, const T* a, Offset stride_a, const T* b, Offset stride_b);

}  // namespace clchol::gpu::reference
