// Norms and sums of long rows, for residuals by rows and by columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/types.hpp"
#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Infinity norms of A, r, x and b over some rows, and the largest componentwise error of the rows.
struct ResidualNorms {
  double a = 0, r = 0, x = 0, b = 0, componentwise = 0;
  bool finite = true;

  ResidualNorms& join(const ResidualNorms& other) {
    a = std::max(a, other.a);
    r = std::max(r, other.r);
    x = std::max(x, other.x);
    b = std::max(b, other.b);
    componentwise = std::max(componentwise, other.componentwise);
    finite = finite && other.finite;
    return *this;
  }

  BackwardError error() const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (!finite) return {kInfinite, kInfinite};
    return {normwise_error(r, a, x, b), componentwise};
  }
};

/// One long row of b - A x and of |A| |x| + |b|, summed in blocks of `segment` columns.  Each block
/// is summed in double, then the blocks of b - A x as if in twice the precision.
class LongRow {
 public:
  explicit LongRow(double b) : residual_(b), magnitude_(std::abs(b)) {}
  /// Adds the sums of one block of columns.
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

/// First column after the block of `segment` columns that `column` lies in.
inline Offset end_of_segment(Index column, Index segment) {
  return (Offset{column} / segment + 1) * segment;
}

}  // namespace clchol::numeric
