#include "numeric/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/team.hpp"
#include "numeric/residual_by_columns.hpp"
#include "numeric/residual_rows.hpp"
#include "numeric/residual_sums.hpp"

namespace clchol::numeric {
namespace {

/// Exponent of a number that is not negative; for zero an exponent below all others.
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
               const DenseView<const T>& x, double* r, double* magnitude, double* workspace,
               int threads, BackwardError* errors) {
  const Index n = a.lower.n;
  // With two threads, the transposed index is faster than a pass over the lower triangle where rows
  // are short.
  constexpr Offset kShortRow = 11;
  const int threads_for_rows = a.lower.nnz() < kShortRow * a.lower.n ? 2 : 3;
  if (useful_threads(a, threads) >= threads_for_rows) {
    for (Index c = 0; c < b.ncol; ++c) {
      const Offset begin = Offset{c} * n;
      errors[c] = residual(a, b.column(c), x.column(c), r + begin, magnitude + begin, threads);
    }
    return;
  }
  for (Index c = 0; c < b.ncol; c += kResidualColumns) {
    const Index count = std::min(kResidualColumns, b.ncol - c);
    const auto columns = [c, count](const DenseView<const T>& of) {
      return DenseView<const T>{of.column(c), of.nrow, count, of.ld};
    };
    const Offset begin = Offset{c} * n;
    residuals_by_columns(a, norm_a, columns(b), columns(x), r + begin, magnitude + begin, workspace,
                         errors + c);
  }
}

template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r,
                       double* magnitude, int threads) {
  const LongRows& long_rows = a.transposed->long_rows;
  const auto of_rows = [&](Offset begin, Offset end) {
    ResidualNorms norms;
    auto next_long = std::ranges::lower_bound(long_rows.row, static_cast<Index>(begin));
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      const bool is_long = next_long != long_rows.row.end() && *next_long == i;
      if (is_long) ++next_long;
      const auto bi = static_cast<double>(b[i]);
      const RowResidual row =
          is_long ? residual_of_long_row(a, i, bi, x) : residual_of_row(a, i, bi, x);
      r[i] = row.residual;
      magnitude[i] = row.magnitude;
      norms.join(norms_of_row(row, static_cast<double>(x[i]), bi));
    }
    return norms;
  };
  const ResidualNorms norms =
      parallel_reduce(a.lower.n, useful_threads(a, threads), ResidualNorms{}, of_rows,
                      [](ResidualNorms p, const ResidualNorms& q) { return p.join(q); });
  return norms.error();
}

template <class T>
BackwardError backward_error(double norm_a, const T* b, const T* x, const double* r,
                             const double* magnitude, Index n) {
  ResidualNorms norms;
  for (Index i = 0; i < n; ++i) {
    norms.join(norms_of_row({r[i], magnitude[i], norm_a}, static_cast<double>(x[i]),
                            static_cast<double>(b[i])));
  }
  return norms.error();
}

template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads) {
  const auto of_rows = [&](Offset begin, Offset end) {
    double norm = 0;
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      double sum = 0;
      for_each_in_row(a, i, [&](Index j, T value) {
        const double size = std::abs(static_cast<double>(value));
        // One factor after the other: the product of two scale factors may exceed the range of
        // double.
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
                        const DenseView<const float>&, double*, double*, double*, int,
                        BackwardError*);
template void residuals(const SymmetricView<double>&, double, const DenseView<const double>&,
                        const DenseView<const double>&, double*, double*, double*, int,
                        BackwardError*);
template BackwardError residual(const SymmetricView<float>&, const float*, const float*, double*,
                                double*, int);
template BackwardError residual(const SymmetricView<double>&, const double*, const double*, double*,
                                double*, int);
template BackwardError backward_error(double, const float*, const float*, const double*,
                                      const double*, Index);
template BackwardError backward_error(double, const double*, const double*, const double*,
                                      const double*, Index);
template double infinity_norm(const SymmetricView<float>&, const double*, int);
template double infinity_norm(const SymmetricView<double>&, const double*, int);
template void multiply(const SymmetricView<float>&, const double*, double*, int);
template void multiply(const SymmetricView<double>&, const double*, double*, int);

}  // namespace clchol::numeric
