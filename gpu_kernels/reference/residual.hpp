// Reference implementations of kernels/dense/residual.cl and kernels/dense/row_reduce.cl: same
// operands and results, one thread.
#pragma once

#include <array>
#include <span>

#include "base/csc.hpp"

namespace clchol::gpu::reference {

/// r := b - A x, magnitude := |A| |x| + |b|, for the symmetric matrix A with the given lower
/// triangle.
template <class T>
void residual(const CscPatternView& lower, std::span<const T> values, std::span<const T> b,
              std::span<const T> x, std::span<T> r, std::span<T> magnitude);

/// sums[i] := sum_j |a_ij| s_i s_j, s = scale.  An empty scale is all ones.
template <class T>
void row_sums(const CscPatternView& lower, std::span<const T> values, std::span<const T> scale,
              std::span<T> sums);

/// Returns max |r|, max |x|, max |b| and max_i |r_i| / magnitude_i.  0 / 0 counts as 0, and the
/// ratio for an infinite magnitude as infinity.
template <class T>
std::array<T, 4> error_maxima(std::span<const T> r, std::span<const T> x, std::span<const T> b,
                              std::span<const T> magnitude);

/// Returns s * sum_k v[k] A(i, k) B(i, k) for one row i.
/// @param a, b                the row's first entries in A and B.
/// @param stride_a, stride_b  positions between neighbouring entries of the row.
template <class T>
T row_reduce(T s, std::span<const T> v, const T* a, Offset stride_a, const T* b, Offset stride_b);

}  // namespace clchol::gpu::reference
