#include "numeric/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/team.hpp"
#include "numeric/residual_by_columns.hpp"
#include "numeric/residual_sums.hpp"

namespace clchol::numeric {
namespace {

/// Entries from which several threads pay (some 0.1 ms on one).
constexpr Offset kParallelEntries = 150000;

/// Calls f(column, value) for every entry of row i of A: before the diagonal, then from it on.
template <class T, class F>
inline void for_each_in_row(const SymmetricView<T>& a, Index i, const F& f) {
  const TransposedIndex& t = *a.transposed;
  for (Offset p = t.rowptr[i]; p < t.rowptr[i + 1]; ++p) f(t.column[p], a.values[t.source[p]]);
  for (Offset p = a.lower.colptr[i]; p < a.lower.colptr[i + 1]; ++p) {
    f(a.lower.rowind[p], a.values[p]);
  }
}

template <class T>
int useful_threads(const SymmetricView<T>& a, int threads) {
  return a.lower.nnz() < kParallelEntries ? 1 : threads;
}

/// A sum of products in double.
class PlainSum {
 public:
  explicit PlainSum(double start) : sum_(start) {}
  void subtract_product(double a, double b, double) { sum_ -= a * b; }
  double value() const { return sum_; }

 private:
  double sum_;
};

/// A sum of products as if in twice the working precision [ORO05, Alg. 5.3]: the rounding errors of
/// products and sums are found exactly and summed beside.  (This file is compiled without
/// contraction to fused operations, which the splitting does not survive.)
class CompensatedSum {
 public:
  explicit CompensatedSum(double start) : sum_(start) {}
  /// Takes off a (b + tail), |tail| no more than an eps of |b|.
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
  /// a * b and its rounding error [ORO05, Alg. 3.3]; the splitting is [ORO05, Alg. 3.2].
  static double two_product(double a, double b, double& error) {
    const double product = a * b;
    double a_low, b_low;
    const double a_high = split(a, a_low), b_high = split(b, b_low);
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
  }
  static double split(double a, double& low) {
    // The factor would take a large number out of the range of double: 2^-28 of it is split.
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

/// Norms of one row.
ResidualNorms norms_of_row(double residual, double magnitude, double row, double x, double b) {
  const double size = std::abs(residual);
  return {row,
          size,
          std::abs(x),
          std::abs(b),
          size > 0 ? size / magnitude : 0.0,
          std::isfinite(residual) && std::isfinite(magnitude) && std::isfinite(row)};
}

template <class Sum, class T, class Tail>
BackwardError residual_with(const SymmetricView<T>& a, const T* b, const T* x, const Tail& tail,
                            double* r, int threads) {
  const LongRows& long_rows = a.transposed->long_rows;
  const auto of_rows = [&](Offset begin, Offset end) {
    ResidualNorms norms;
    auto next_long = std::ranges::lower_bound(long_rows.row, static_cast<Index>(begin));
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      const auto bi = static_cast<double>(b[i]);
      double magnitude = std::abs(bi), row = 0;
      const bool is_long = next_long != long_rows.row.end() && *next_long == i;
      if (is_long) ++next_long;
      if (std::is_same_v<Sum, PlainSum> && is_long) {
        LongRow sum(bi);
        double piece = 0, piece_magnitude = 0;
        Offset end_piece = long_rows.piece;
        for_each_in_row(a, i, [&](Index j, T value) {
          if (j >= end_piece) {
            sum.add(piece, piece_magnitude);
            piece = piece_magnitude = 0;
            end_piece = end_of_piece(j, long_rows.piece);
          }
          const double product = static_cast<double>(value) * static_cast<double>(x[j]);
          piece -= product;
          piece_magnitude += std::abs(product);
          row += std::abs(static_cast<double>(value));
        });
        sum.add(piece, piece_magnitude);
        r[i] = sum.residual();
        magnitude = sum.magnitude();
      } else {
        Sum sum(bi);
        for_each_in_row(a, i, [&](Index j, T value) {
          const double v = value, xj = x[j];
          sum.subtract_product(v, xj, tail(j));
          magnitude += std::abs(v * xj);
          row += std::abs(v);
        });
        r[i] = sum.value();
      }
      norms.join(norms_of_row(r[i], magnitude, row, static_cast<double>(x[i]), bi));
    }
    return norms;
  };
  const ResidualNorms norms =
      parallel_reduce(a.lower.n, useful_threads(a, threads), ResidualNorms{}, of_rows,
                      [](ResidualNorms p, const ResidualNorms& q) { return p.join(q); });
  return norms.error();
}

/// An exponent below all others for zero.
int exponent_of(double value) { return value > 0 ? std::ilogb(value) : -10000; }

}  // namespace

double normwise_error(double r, double a, double x, double b) {
  if (r == 0) return 0;
  const double size = a * x + b;
  if (size >= 0x1p-900 && size <= std::numeric_limits<double>::max()) return r / size;
  const int of_a = exponent_of(a), of_x = exponent_of(x);
  const int top = std::max(of_a + of_x, exponent_of(b));
  const double product = std::ldexp(a, -of_a) * std::ldexp(x, -of_x);
  return std::ldexp(r, -top) / (std::ldexp(product, of_a + of_x - top) + std::ldexp(b, -top));
}

Offset residual_workspace(Index n, Index nrhs) { return Offset{n} * residual_state(nrhs); }

template <class T>
void residuals(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
               const DenseView<const T>& x, double* r, double* workspace, int threads,
               BackwardError* errors) {
  // Two threads that find rows through the transposed index are faster where these are short.
  constexpr Offset kShortRow = 11;
  const int threads_for_rows = a.lower.nnz() < kShortRow * a.lower.n ? 2 : 3;
  if (useful_threads(a, threads) >= threads_for_rows) {
    for (Index c = 0; c < b.ncol; ++c) {
      errors[c] = residual(a, b.column(c), x.column(c), r + Offset{c} * a.lower.n, threads);
    }
    return;
  }
  for (Index c = 0; c < b.ncol; c += kResidualColumns) {
    const Index count = std::min(kResidualColumns, b.ncol - c);
    const auto columns = [c, count](const DenseView<const T>& of) {
      return DenseView<const T>{of.column(c), of.nrow, count, of.ld};
    };
    residuals_by_columns(a, norm_a, columns(b), columns(x), r + Offset{c} * a.lower.n, workspace,
                         errors + c);
  }
}

template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r, int threads) {
  return residual_with<PlainSum>(
      a, b, x, [](Index) { return 0.0; }, r, threads);
}

template <class T>
BackwardError compensated_residual(const SymmetricView<T>& a, const T* b, const T* x,
                                   const double* tail, double* r, int threads) {
  if (tail == nullptr) {
    return residual_with<CompensatedSum>(
        a, b, x, [](Index) { return 0.0; }, r, threads);
  }
  return residual_with<CompensatedSum>(
      a, b, x, [tail](Index j) { return tail[j]; }, r, threads);
}

template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads) {
  const auto of_rows = [&](Offset begin, Offset end) {
    double norm = 0;
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      double sum = 0;
      for_each_in_row(a, i, [&](Index j, T value) {
        const double size = std::abs(static_cast<double>(value));
        // One factor after the other: the product of two may leave the range of double.
        sum += scale == nullptr ? size : size * scale[i] * scale[j];
      });
      norm = std::max(norm, sum);
    }
    return norm;
  };
  return parallel_reduce(a.lower.n, useful_threads(a, threads), 0.0, of_rows,
                         [](double p, double q) { return std::max(p, q); });
}

template <class T>
void multiply(const SymmetricView<T>& a, const double* x, double* y, int threads) {
  parallel_for(a.lower.n, useful_threads(a, threads), [&](Index i) {
    double sum = 0;
    for_each_in_row(a, i, [&](Index j, T value) { sum += static_cast<double>(value) * x[j]; });
    y[i] = sum;
  });
}

template void residuals(const SymmetricView<float>&, double, const DenseView<const float>&,
                        const DenseView<const float>&, double*, double*, int, BackwardError*);
template void residuals(const SymmetricView<double>&, double, const DenseView<const double>&,
                        const DenseView<const double>&, double*, double*, int, BackwardError*);
template BackwardError residual(const SymmetricView<float>&, const float*, const float*, double*,
                                int);
template BackwardError residual(const SymmetricView<double>&, const double*, const double*, double*,
                                int);
template BackwardError compensated_residual(const SymmetricView<float>&, const float*, const float*,
                                            const double*, double*, int);
template BackwardError compensated_residual(const SymmetricView<double>&, const double*,
                                            const double*, const double*, double*, int);
template double infinity_norm(const SymmetricView<float>&, const double*, int);
template double infinity_norm(const SymmetricView<double>&, const double*, int);
template void multiply(const SymmetricView<float>&, const double*, double*, int);
template void multiply(const SymmetricView<double>&, const double*, double*, int);

}  // namespace clchol::numeric
