// Computes residuals b - A x row by row.
//
// Files that include this header must be compiled with -ffp-contract=off, which forbids fused
// multiply-adds, so that a row's residual has the same bits in every file.
#pragma once

#include <cmath>

#include "numeric/residual_sums.hpp"

namespace clchol::numeric {

/// Returns the number of threads with which a pass over A is fastest: at most `threads`, and 1 if A
/// is small.  One thread takes about 0.1 ms for the largest such A.
template <class T>
inline int useful_threads(const SymmetricView<T>& a, int threads) {
  constexpr Offset kParallelEntries = 150000;
  return a.lower.nnz() < kParallelEntries ? 1 : threads;
}

/// Calls f(j, a_ij) for every entry of row i of A, in ascending order of the columns j.
template <class T, class F>
inline void for_each_in_row(const SymmetricView<T>& a, Index i, const F& f) {
  const TransposedIndex& t = *a.transposed;
  for (Offset p = t.rowptr[i]; p < t.rowptr[i + 1]; ++p) f(t.column[p], a.values[t.source[p]]);
  for (Offset p = a.lower.colptr[i]; p < a.lower.colptr[i + 1]; ++p) {
    f(a.lower.rowind[p], a.values[p]);
  }
}

/// Quantities of one row i.
/// `residual`: (b - A x)_i.
/// `magnitude`: (|A| |x| + |b|)_i.
/// `norm`: sum of |a_ij| over j.
struct RowResidual {
  double residual, magnitude, norm;
};

/// Returns the maxima over one row.
/// @param x, b  Entry i of the solution, and of the right-hand side.
inline ResidualNorms norms_of_row(const RowResidual& row, double x, double b) {
  const double size = std::abs(row.residual);
  return {row.norm,
          size,
          std::abs(x),
          std::abs(b),
          size > 0 ? size / row.magnitude : 0.0,
          std::isfinite(row.residual) && std::isfinite(row.magnitude) && std::isfinite(row.norm)};
}

/// Returns the quantities of row i.
/// @param b  Entry i of the right-hand side.
/// @param x  Solution.  Length n.
template <class T>
inline RowResidual residual_of_row(const SymmetricView<T>& a, Index i, double b, const T* x) {
  double sum = b, magnitude = std::abs(b), norm = 0;
  for_each_in_row(a, i, [&](Index j, T value) {
    const double v = value, product = v * static_cast<double>(x[j]);
    sum -= product;
    magnitude += std::abs(product);
    norm += std::abs(v);
  });
  return {sum, magnitude, norm};
}

/// Returns the quantities of row i, which must be a long row (TransposedIndex::long_rows).  The row
/// is summed by segments, which are ranges of `long_rows.segment` columns.  The sums of each
/// segment are computed in double.  Then LongRow (residual_sums.hpp) adds the segments' sums: for
/// the residual with compensation for rounding errors, for the magnitude in double.  The norm is
/// summed in double over the whole row.
/// @param b  Entry i of the right-hand side.
/// @param x  Solution.  Length n.
template <class T>
RowResidual residual_of_long_row(const SymmetricView<T>& a, Index i, double b, const T* x) {
  const Index length = a.transposed->long_rows.segment;
  LongRow sum(b);
  double segment = 0, segment_magnitude = 0, norm = 0;
  Offset end = length;
  for_each_in_row(a, i, [&](Index j, T value) {
    if (j >= end) {
      sum.add(segment, segment_magnitude);
      segment = segment_magnitude = 0;
      end = end_of_segment(j, length);
    }
    const double product = static_cast<double>(value) * static_cast<double>(x[j]);
    segment -= product;
    segment_magnitude += std::abs(product);
    norm += std::abs(static_cast<double>(value));
  });
  sum.add(segment, segment_magnitude);
  return {sum.residual(), sum.magnitude(), norm};
}

}  // namespace clchol::numeric
