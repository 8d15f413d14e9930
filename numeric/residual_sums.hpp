// Helpers for residuals that are computed by rows (residual_rows.hpp) or by columns
// (residual_by_columns.hpp): norms, and sums of long rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/types.hpp"
#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Maxima over a set of rows, from which the backward errors follow: infinity norms of A (a), of
/// the residual (r), of x and of b, and the largest componentwise backward error.
struct ResidualNorms {
  double a = 0, r = 0, x = 0, b = 0, componentwise = 0;
  bool finite = true;  // Whether the residual, |A| |x| + |b| and the norm of A are finite.

  /// Adds the rows of `other` to the set.
  ResidualNorms& join(const ResidualNorms& other) {
    a = std::max(a, other.a);
    r = std::max(r, other.r);
    x = std::max(x, other.x);
    b = std::max(b, other.b);
    componentwise = std::max(componentwise, other.componentwise);
    finite = finite && other.finite;
    return *this;
  }

  /// Returns the backward errors, if the set has all rows.
  BackwardError error() const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (!finite) return {kInfinite, kInfinite};
    return {normwise_error(r, a, x, b), componentwise};
  }
};

/// Sums of one long row of b - A x and of |A| |x| + |b|.  The caller sums each block of
/// LongRows::segment columns in double.  This object adds up the blocks' sums: those of b - A x as
/// if in twice the precision of double, the others in double.
class LongRow {
 public:
  /// @param b  The row's entry of the right-hand side.
  explicit LongRow(double b) : residual_(b), magnitude_(std::abs(b)) {}
  /// Adds the sums of one block of columns j.
  /// @param residual   Sum of -a_ij x_j.
  /// @param magnitude  Sum of |a_ij x_j|.
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

/// Returns the first column after the block that contains `column`.  Blocks of `segment` columns
/// begin at column 0.
inline Offset end_of_segment(Index column, Index segment) {
  return (Offset{column} / segment + 1) * segment;
}

}  // namespace clchol::numeric
