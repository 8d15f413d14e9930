// Residuals, row sums and the maxima that error bounds are computed from, on one thread of the CPU:
// reference implementations of kernels/dense/residual.cl and kernels/dense/row_reduce.cl.
#pragma once

#include <array>
#include <span>

#include "base/csc.hpp"

namespace clchol::gpu::reference {

/// Computes r := b - A x and magnitude := |A| |x| + |b|, where |.| takes the absolute value of each
/// entry.
/// @param lower   pattern of the lower triangle of the symmetric matrix A.
/// @param values  value of each entry of the lower triangle.  Indexed as lower.rowind.
template <class T>
void residual(const CscPatternView& lower, std::span<const T> values, std::span<const T> b,
              std::span<const T> x, std::span<T> r, std::span<T> magnitude);

/// Computes sums[i] := sum_j |A(i, j)| scale[i] scale[j] for all rows i of the symmetric matrix A.
/// @param lower, values  lower triangle of A, as in residual().
/// @param scale          diagonal of the scaling S.  Length n.  Empty: all scale[i] are 1.
template <class T>
void row_sums(const CscPatternView& lower, std::span<const T> values, std::span<const T> scale,
              std::span<T> sums);

/// Returns max_i |r[i]|, max_i |x[i]|, max_i |b[i]| and max_i |r[i]| / magnitude[i], in this order.
/// The quotient counts as infinite, not as 0, if magnitude[i] is infinite: an overflow is not taken
/// for a small error.  Otherwise the quotient counts as 0 if r[i] is 0, even if magnitude[i] is 0.
/// A maximum is NaN when one of its terms is NaN.
template <class T>
std::array<T, 4> error_maxima(std::span<const T> r, std::span<const T> x, std::span<const T> b,
                              std::span<const T> magnitude);

/// Returns s * sum_k v[k] A(i, k) B(i, k) for one row i of two dense matrices A and B.
/// @param v                   weight of each column.  Length: number of columns of A and B.
/// @param a, b                addresses of the entries A(i, 0) and B(i, 0).
/// @param stride_a, stride_b  distance in entries from A(i, k) to A(i, k + 1), and from B(i, k) to
///                            B(i, k + 1).
template <class T>
T row_reduce(T s, std::span<const T> v, const T* a, Offset stride_a, const T* b, Offset stride_b);

}  // namespace clchol::gpu::reference
