#include "numeric/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clchol::numeric {
namespace {

/// Entries from which several threads pay.
constexpr Offset kParallelEntries = 40000;

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

}  // namespace

TransposedIndex make_transposed_index(const CscPatternView& lower) {
  TransposedIndex t;
  const Index n = lower.n;
  t.rowptr.assign(n + 1, 0);
  for (Index j = 0; j < n; ++j) {
    for (Index i : lower.column(j)) {
      if (i != j) ++t.rowptr[i + 1];
    }
  }
  for (Index i = 0; i < n; ++i) t.rowptr[i + 1] += t.rowptr[i];
  t.column.resize(t.rowptr[n]);
  t.source.resize(t.rowptr[n]);
  std::vector<Offset> next(t.rowptr.begin(), t.rowptr.end() - 1);
  for (Index j = 0; j < n; ++j) {
    for (Offset p = lower.colptr[j]; p < lower.colptr[j + 1]; ++p) {
      const Index i = lower.rowind[p];
      if (i == j) continue;
      t.column[next[i]] = j;
      t.source[next[i]++] = static_cast<std::uint32_t>(p);
    }
  }
  return t;
}

template <class T>
BackwardError residual(const SymmetricView<T>& a, double norm_a, const T* b, const T* x, double* r,
                       int threads) {
  double norm_r = 0, norm_x = 0, norm_b = 0, componentwise = 0;
  bool finite = true;
#pragma omp parallel for schedule(static) num_threads(useful_threads(a, threads)) \
    reduction(max : norm_r, norm_x, norm_b, componentwise) reduction(&& : finite)
  for (Index i = 0; i < a.lower.n; ++i) {
    double sum = b[i], magnitude = std::abs(sum);
    for_each_in_row(a, i, [&](Index j, T value) {
      const double product = static_cast<double>(value) * x[j];
      sum -= product;
      magnitude += std::abs(product);
    });
    r[i] = sum;
    const double size = std::abs(sum);
    finite = finite && std::isfinite(sum);
    norm_r = std::max(norm_r, size);
    norm_x = std::max(norm_x, std::abs(static_cast<double>(x[i])));
    norm_b = std::max(norm_b, std::abs(static_cast<double>(b[i])));
    if (size > 0) componentwise = std::max(componentwise, size / magnitude);
  }
  if (!finite) {
    const double inf = std::numeric_limits<double>::infinity();
    return {inf, inf};
  }
  const double scale = norm_a * norm_x + norm_b;
  return {norm_r > 0 ? norm_r / scale : 0.0, componentwise};
}

template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads) {
  double norm = 0;
#pragma omp parallel for schedule(static) num_threads(useful_threads(a, threads)) \
    reduction(max : norm)
  for (Index i = 0; i < a.lower.n; ++i) {
    double sum = 0;
    for_each_in_row(a, i, [&](Index j, T value) {
      sum += std::abs(static_cast<double>(value)) * (scale == nullptr ? 1.0 : scale[i] * scale[j]);
    });
    norm = std::max(norm, sum);
  }
  return norm;
}

template <class T>
void multiply(const SymmetricView<T>& a, const double* x, double* y, int threads) {
#pragma omp parallel for schedule(static) num_threads(useful_threads(a, threads))
  for (Index i = 0; i < a.lower.n; ++i) {
    double sum = 0;
    for_each_in_row(a, i, [&](Index j, T value) { sum += static_cast<double>(value) * x[j]; });
    y[i] = sum;
  }
}

template BackwardError residual(const SymmetricView<float>&, double, const float*, const float*,
                                double*, int);
template BackwardError residual(const SymmetricView<double>&, double, const double*, const double*,
                                double*, int);
template double infinity_norm(const SymmetricView<float>&, const double*, int);
template double infinity_norm(const SymmetricView<double>&, const double*, int);
template void multiply(const SymmetricView<float>&, const double*, double*, int);
template void multiply(const SymmetricView<double>&, const double*, double*, int);

}  // namespace clchol::numeric
