#include "gpu_kernels/reference/reduce.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"

namespace clchol::gpu::reference {

template <class T>
T dot(std::span<const T> x, std::span<const T> y) {
  CLCHOL_ASSERT(x.size() == y.size());
  T sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

template <class T>
T norm2(std::span<const T> x) {
  return std::sqrt(dot(x, x));
}

template <class T>
T max_norm(std::span<const T> x) {
  T largest = 0;
  for (const T value : x) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

#define CLCHOL_INSTANTIATE(T)                                \
  template T dot<T>(std::span<const T>, std::span<const T>); \
  template T norm2<T>(std::span<const T>);                   \
  template T max_norm<T>(std::span<const T>)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu::reference
