// Helpers for residuals b - A x, which are computed by rows (residual_rows.hpp) or by columns
// (residual_by_columns.hpp): norms, and sums of long rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/types.hpp"
#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Maxima over a set of rows, from which error() computes the backward errors.  For rows i of the
/// set:
/// `a`: maximum of sum_j |a_ij|.  (For all rows: the infinity norm of A.)
/// `r`, `x`, `b`: maxima of |r_i|, |x_i| and |b_i|, where r is the residual.
/// `componentwise`: maximum of |r_i| / (|A| |x| + |b|)_i.
struct ResidualNorms {
  double a = 0, r = 0, x = 0, b = 0, componentwise = 0;
  bool finite = true;  // Whether `a` and all rows of the residual and |A| |x| + |b| are finite.

  /// Adds the rows of the set `other` to this set.  Returns this object.
  ResidualNorms& join(const ResidualNorms& other) {
    a = std::max(a, other.a);
    r = std::max(r, other.r);
    x = std::max(x, other.x);
    b = std::max(b, other.b);
    componentwise = std::max(componentwise, other.componentwise);
    finite = finite && other.finite;
    return *this;
  }

  /// Returns the backward errors; infinite if `finite` is false.  The set must have all rows of A.
  BackwardError error() const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (!finite) return {kInfinite, kInfinite};
    return {normwise_error(r, a, x, b), componentwise};
  }
};

/// Sums of one long row of b - A x and of |A| |x| + |b|.  The caller sums each segment, a range of
/// LongRows::segment columns, in double.  This object adds up the sums of the segments: for
/// b - A x as if in twice the precision of double, for |A| |x| + |b| in double.
class LongRow {
 public:
  /// @param b  The row's entry of the right-hand side.
  explicit LongRow(double b) : residual_(b), magnitude_(std::abs(b)) {}
  /// Adds the sums of one segment.
  /// @param residual   Sum of -a_ij x_j over the segment's columns j, where i is the row.
  /// @param magnitude  Sum of |a_ij x_j| over the segment's columns j.
  void add(double residual, double magnitude) {
    const double old = residual_;
    residual_ = old + residual;  // TwoSum [ORO05, Alg. 3.1]
    const double z = residual_ - old;
    error_ += (old - (residual_ - z)) + (residual - z);
    magnitude_ += magnitude;
  }
  double residual() const { return residual_ + error_; }
  double magnitude() const { return magnitude_; }

 private:
  double residual_, error_ = 0, magnitude_;
};

/// Returns the first column after the segment that contains `column`.
/// @param segment  Columns of a segment.  The first segment begins at column 0.
inline Offset end_of_segment(Index column, Index segment) {
  return (Offset{column} / segment + 1) * segment;
}

}  // namespace clchol::numeric
