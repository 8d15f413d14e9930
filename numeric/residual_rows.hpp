// Computes residuals b - A x row by row.
//
// Files that include this header must be compiled with -ffp-contract=off, which forbids fused
// multiply-adds, so that a row's residual has the same bits in every file.
#pragma once

#include <cmath>

#include "numeric/residual_sums.hpp"

namespace clchol::numeric {

/// Calls f(j, a_ij) for every entry of row i of A, in ascending order of the columns j.
template <class T, class F>
inline void for_each_in_row(const SymmetricView<T>& a, Index i, const F& f) {
  const TransposedIndex& t = *a.transposed;
  for (Offset p = t.rowptr[i]; p < t.rowptr[i + 1]; ++p) f(t.column[p], a.values[t.source[p]]);
  for (Offset p = a.lower.colptr[i]; p < a.lower.colptr[i + 1]; ++p) {
    f(a.lower.rowind[p], a.values[p]);
  }
}

/// A number in double precision from which products are subtracted one after another.
class PlainSum {
 public:
  explicit PlainSum(double start) : sum_(start) {}
  /// Subtracts the product a b.  The last argument, the tail of b, is not used.
  void subtract_product(double a, double b, double) { sum_ -= a * b; }
  double value() const { return sum_; }

 private:
  double sum_;
};

/// A number from which products are subtracted one after another, as if in twice the precision of
/// double [ORO05, Alg. 5.3].  The rounding errors of products and sums are computed exactly, and
/// are summed in error_.  Fused multiply-adds would make the computed rounding errors wrong.
class CompensatedSum {
 public:
  explicit CompensatedSum(double start) : sum_(start) {}
  /// Subtracts the product a (b + tail).  |tail| must be at most a rounding error of b.
  void subtract_product(double a, double b, double tail) {
    double error;
    const double product = two_product(a, b, error);
    const double old = sum_;
    sum_ = old - product;  // TwoSum [ORO05, Alg. 3.1] of old and -product.
    const double z = sum_ - old;
    error_ += ((old - (sum_ - z)) - (product + z)) - error - a * tail;
  }
  double value() const { return sum_ + error_; }

 private:
  /// Returns the rounded product a * b.  `error` receives the exact product minus the rounded
  /// product [ORO05, Alg. 3.3].
  static double two_product(double a, double b, double& error) {
    const double product = a * b;
    double a_low, b_low;
    const double a_high = split(a, a_low), b_high = split(b, b_low);
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
  }
  /// Splits a = high + low, so that `high` and `low` have at most 26 significant bits each.  The
  /// product of any two such parts, also of parts of two numbers, is exact [ORO05, Alg. 3.2].
  /// @return high.
  static double split(double a, double& low) {
    // The product of a large number and 2^27 + 1 would overflow.  Then 2^-28 a is split instead.
    const bool is_large = std::abs(a) > 0x1p995;
    const double part = is_large ? a * 0x1p-28 : a;
    const double c = 134217729.0 * part;  // 2^27 + 1
    const double high = (c - (c - part)) * (is_large ? 0x1p28 : 1.0);
    low = a - high;
    return high;
  }

  double sum_;
  double error_ = 0;
};

/// Quantities of one row i.
/// `residual`: (b - A x)_i.
/// `magnitude`: (|A| |x| + |b|)_i.
/// `norm`: sum of |a_ij| over j.
struct RowResidual {
  double residual, magnitude, norm;
};

/// The argument `tail` of residual_of_row() for a solution without a tail: tail(j) = 0.  NoTail is
/// a type of its own so that the compiler inlines the call.
struct NoTail {
  double operator()(Index /*j*/) const { return 0.0; }
};

/// Returns the quantities of row i.  `residual` is row i of b - A (x + tail); `magnitude` is
/// computed without the tail.
/// @tparam Sum  PlainSum, which ignores the tail, or CompensatedSum.
/// @param b     Entry i of the right-hand side.
/// @param x     Solution.  Length n.
/// @param tail  Function: tail(j) is the low-order part of the solution's entry x[j] + tail(j).
///              |tail(j)| must be at most a rounding error of x[j].
template <class Sum, class T, class Tail>
inline RowResidual residual_of_row(const SymmetricView<T>& a, Index i, double b, const T* x,
                                   const Tail& tail) {
  Sum sum(b);
  double magnitude = std::abs(b), norm = 0;
  for_each_in_row(a, i, [&](Index j, T value) {
    const double v = value, xj = x[j];
    sum.subtract_product(v, xj, tail(j));
    magnitude += std::abs(v * xj);
    norm += std::abs(v);
  });
  return {sum.value(), magnitude, norm};
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
