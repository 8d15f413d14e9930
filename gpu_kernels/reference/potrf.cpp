#include "gpu_kernels/reference/potrf.hpp"

#include <cmath>
#include <limits>

namespace clchol::gpu::reference {

template <class T>
bool is_good_pivot(T pivot) {
  const T reciprocal = T{1} / pivot;
  return reciprocal > 0 && reciprocal <= std::numeric_limits<T>::max();
}

template <class T>
PivotStatus<T> factor_panel(const FrontPanel& front, std::span<T> panels) {
  const auto at = [&](Index i, Index j) -> T& {
    return panels[static_cast<std::size_t>(front.panel + i + j * front.ld)];
  };
  for (Index j = 0; j < front.ncol; ++j) {
    for (Index c = 0; c < j; ++c) {
      for (Index i = j; i < front.nrow; ++i) at(i, j) -= at(i, c) * at(j, c);
    }
    const T pivot = at(j, j);
    if (!is_good_pivot(pivot)) return {.column = j, .reserved = 0, .value = pivot};
    at(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < front.nrow; ++i) at(i, j) /= at(j, j);
  }
  return {.column = -1, .reserved = 0, .value = 0};
}

#define CLCHOL_INSTANTIATE(T)     \
  template bool is_good_pivot(T); \
  template PivotStatus<T> factor_panel(const FrontPanel&, std::span<T>)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu::reference
