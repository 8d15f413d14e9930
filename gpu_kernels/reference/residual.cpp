#include "gpu_kernels/reference/residual.hpp"

#include <cmath>

#include "gpu_kernels/reference/reduce.hpp"

namespace clchol::gpu::reference {
namespace {

/// Calls f(i, j, a_ij) for all stored entries of A, of both halves.
template <class T, class F>
void for_each_entry(const CscPatternView& lower, std::span<const T> values, const F& f) {
  for (Index j = 0; j < lower.n; ++j) {
    for (Offset p = lower.colptr[j]; p < lower.colptr[j + 1]; ++p) {
      const Index i = lower.rowind[p];
      f(i, j, values[p]);
      if (i != j) f(j, i, values[p]);
    }
  }
}

}  // namespace

template <class T>
void residual(const CscPatternView& lower, std::span<const T> values, std::span<const T> b,
              std::span<const T> x, std::span<T> r, std::span<T> magnitude) {
  for (Index i = 0; i < lower.n; ++i) {
    r[i] = b[i];
    magnitude[i] = std::abs(b[i]);
  }
  for_each_entry(lower, values, [&](Index i, Index j, T a) {
    r[i] -= a * x[j];
    magnitude[i] += std::abs(a * x[j]);
  });
}

template <class T>
void row_sums(const CscPatternView& lower, std::span<const T> values, std::span<const T> scale,
              std::span<T> sums) {
  for (T& sum : sums) sum = 0;
  for_each_entry(lower, values, [&](Index i, Index j, T a) {
    sums[i] += std::abs(a) * (scale.empty() ? T{1} : scale[i] * scale[j]);
  });
}

template <class T>
std::array<T, 4> error_maxima(std::span<const T> r, std::span<const T> x, std::span<const T> b,
                              std::span<const T> magnitude) {
  T componentwise = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    const T size = std::abs(r[i]);
    const T whole = magnitude[i];
    const T share = std::isinf(whole) ? whole : size == 0 ? T{0} : size / whole;
    if (std::isnan(share) || share > componentwise) componentwise = share;
  }
  return {max_norm(r), max_norm(x), max_norm(b), componentwise};
}

template <class T>
T row_reduce(T s, std::span<const T> v, const T* a, Offset stride_a, const T* b, Offset stride_b) {
  T sum = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    const Offset at = static_cast<Offset>(k);
    sum += v[k] * a[at * stride_a] * b[at * stride_b];
  }
  return s * sum;
}

#define CLCHOL_INSTANTIATE(T)                                                              \
  template void residual<T>(const CscPatternView&, std::span<const T>, std::span<const T>, \
                            std::span<const T>, std::span<T>, std::span<T>);               \
  template void row_sums<T>(const CscPatternView&, std::span<const T>, std::span<const T>, \
                            std::span<T>);                                                 \
  template std::array<T, 4> error_maxima<T>(std::span<const T>, std::span<const T>,        \
                                            std::span<const T>, std::span<const T>);       \
  template T row_reduce<T>(T, std::span<const T>, const T*, Offset, const T*, Offset)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu::reference
