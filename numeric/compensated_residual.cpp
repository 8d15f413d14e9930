#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/compensated_residual.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.
#include <hwy/highway.h>

#include <cmath>

#include "base/team.hpp"
#include "numeric/residual.hpp"
#include "numeric/residual_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric {
namespace HWY_NAMESPACE {

/// Splits a = high + low, so that `high` and `low` have at most 26 significant bits each.  The
/// product of any two such parts, also of parts of two numbers, is exact [ORO05, Alg. 3.2].
/// @return high.
inline double split(double a, double& low) {
  // The product of a large number and 2^27 + 1 would overflow.  Then 2^-28 a is split instead.
  const bool is_large = std::abs(a) > 0x1p995;
  const double part = is_large ? a * 0x1p-28 : a;
  const double c = 134217729.0 * part;  // 2^27 + 1
  const double high = (c - (c - part)) * (is_large ? 0x1p28 : 1.0);
  low = a - high;
  return high;
}

/// Returns the exact product of a and b minus the rounded product.  Both ways give the same bits
/// unless the product is so small that its error is no number of type double.
inline double error_of_product(double a, double b, double product) {
#if HWY_NATIVE_FMA
  return std::fma(a, b, -product);
#else  // [ORO05, Alg. 3.3].
  double a_low, b_low;
  const double a_high = split(a, a_low), b_high = split(b, b_low);
  return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
#endif
}

/// Sums of one row i: b - A (x + tail) as if in twice the precision of double [ORO05, Alg. 5.3],
/// |A| |x| + |b| and |A| in double.  The rounding errors of products and sums are computed exactly,
/// and are summed in error_.
class CompensatedRow {
 public:
  /// @param b  Entry i of the right-hand side.
  explicit CompensatedRow(double b) : sum_(b), magnitude_(std::abs(b)) {}

  /// Adds entry a of the row, in a column in which the solution is x + tail.
  void add(double a, double x, double tail) {
    const double product = a * x, error = error_of_product(a, x, product), old = sum_;
    sum_ = old - product;  // TwoSum [ORO05, Alg. 3.1] of old and -product.
    const double z = sum_ - old;
    error_ += ((old - (sum_ - z)) - (product + z)) - error - a * tail;
    magnitude_ += std::abs(product);
    norm_ += std::abs(a);
  }

  RowResidual result() const { return {sum_ + error_, magnitude_, norm_}; }

 private:
  double sum_, error_ = 0;
  double magnitude_, norm_ = 0;
};

/// Computes rows [begin, end) of r := b - A (x + tail).
/// @return the norms of these rows.
template <class T>
ResidualNorms rows(const SymmetricView<T>& a, const T* b, const T* x, const double* tail, double* r,
                   Index begin, Index end) {
  const TransposedIndex& transposed = *a.transposed;
  ResidualNorms norms;
  for (Index i = begin; i < end; ++i) {
    const auto bi = static_cast<double>(b[i]);
    CompensatedRow row(bi);
    const auto add = [&](Index j, T value) HWY_ATTR {
      row.add(static_cast<double>(value), static_cast<double>(x[j]),
              tail == nullptr ? 0.0 : tail[j]);
    };
    for (Offset p = transposed.rowptr[i]; p < transposed.rowptr[i + 1]; ++p) {
      add(transposed.column[p], a.values[transposed.source[p]]);
    }
    for (Offset p = a.lower.colptr[i]; p < a.lower.colptr[i + 1]; ++p) {
      add(a.lower.rowind[p], a.values[p]);
    }
    const RowResidual of_row = row.result();
    r[i] = of_row.residual;
    norms.join(norms_of_row(of_row, static_cast<double>(x[i]), bi));
  }
  return norms;
}

ResidualNorms rows_float(const SymmetricView<float>& a, const float* b, const float* x,
                         const double* tail, double* r, Index begin, Index end) {
  return rows(a, b, x, tail, r, begin, end);
}
ResidualNorms rows_double(const SymmetricView<double>& a, const double* b, const double* x,
                          const double* tail, double* r, Index begin, Index end) {
  return rows(a, b, x, tail, r, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric {
namespace {

HWY_EXPORT(rows_float);
HWY_EXPORT(rows_double);

/// @param of_rows  Computes a range of rows and returns their norms.
template <class T, class OfRows>
BackwardError error_of_rows(const SymmetricView<T>& a, int threads, const OfRows& of_rows) {
  const auto join = [](ResidualNorms p, const ResidualNorms& q) { return p.join(q); };
  return parallel_reduce(a.lower.n, useful_threads(a, threads), ResidualNorms{}, of_rows, join)
      .error();
}

}  // namespace

template <>
BackwardError compensated_residual(const SymmetricView<float>& a, const float* b, const float* x,
                                   const double* tail, double* r, int threads) {
  const auto rows = HWY_DYNAMIC_DISPATCH(rows_float);
  return error_of_rows(a, threads, [&](Offset begin, Offset end) {
    return rows(a, b, x, tail, r, static_cast<Index>(begin), static_cast<Index>(end));
  });
}
template <>
BackwardError compensated_residual(const SymmetricView<double>& a, const double* b, const double* x,
                                   const double* tail, double* r, int threads) {
  const auto rows = HWY_DYNAMIC_DISPATCH(rows_double);
  return error_of_rows(a, threads, [&](Offset begin, Offset end) {
    return rows(a, b, x, tail, r, static_cast<Index>(begin), static_cast<Index>(end));
  });
}

}  // namespace clchol::numeric
#endif  // HWY_ONCE
