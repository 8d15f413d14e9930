// Reference implementations of kernels/dense/residual.cl and kernels/dense/row_reduce.cl on one
// thread of the CPU.
#pragma once

#include <array>
#include <span>

#include "base/csc.hpp"

namespace clchol::gpu::reference {

/// Computes r := b - A x and magnitude := |A| |x| + |b|, with entrywise absolute values.
/// @param lower   pattern of the lower triangle of the symmetric matrix A.
/// @param values  values of A in this pattern.
template <class T>
void residual(const CscPatternView& lower, std::span<const T> values, std::span<const T> b,
              std::span<const T> x, std::span<T> r, std::span<T> magnitude);

/// Computes sums[i] := sum_j |A(i, j)| scale[i] scale[j] for all rows i of the symmetric matrix A.
/// @param lower, values  A, as in residual().
/// @param scale          diagonal of the scaling.  Length n.  Empty: no scaling.
template <class T>
void row_sums(const CscPatternView& lower, std::span<const T> values, std::span<const T> scale,
              std::span<T> sums);

/// Returns max_i |r[i]|, max_i |x[i]|, max_i |b[i]| and max_i |r[i]| / magnitude[i], in this order.
/// A quotient 0 / 0 counts as 0.  A quotient with an infinite magnitude counts as infinite.
template <class T>
std::array<T, 4> error_maxima(std::span<const T> r, std::span<const T> x, std::span<const T> b,
                              std::span<const T> magnitude);

/// Returns s * sum_k v[k] A(i, k) B(i, k) for one row i of two dense matrices A and B.
/// @param v                   weight of each column.  The length is the number of columns.
/// @param a, b                addresses of entries A(i, 0) and B(i, 0).
/// @param stride_a, stride_b  entries from one entry of the row to the next entry of the row.
template <class T>
T row_reduce(T s, std::span<const T> v, const T* a, Offset stride_a, const T* b, Offset stride_b);

}  // namespace clchol::gpu::reference
