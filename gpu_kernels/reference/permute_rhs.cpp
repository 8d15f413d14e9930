#include "gpu_kernels/reference/permute_rhs.hpp"

namespace clchol::gpu::reference {
namespace {

/// Calls move(entry of b, the entry of x that belongs to it, scale) for all entries of b.
template <class B, class X, class T, class Move>
void each_entry(std::span<const Index> place, std::span<const T> scale, B b, std::span<X> x,
                const Move& move) {
  for (Index i = 0; i < b.nrow; ++i) {
    const auto k = static_cast<std::size_t>(place[static_cast<std::size_t>(i)]);
    for (Index r = 0; r < b.ncol; ++r) {
      move(b(i, r), x[k * static_cast<std::size_t>(b.ncol) + static_cast<std::size_t>(r)],
           scale.empty() ? T{1} : scale[k]);
    }
  }
}

}  // namespace

template <class T>
void gather_rhs(std::span<const Index> place, std::span<const T> scale, DenseView<const T> b,
                std::span<T> x) {
  each_entry(place, scale, b, x, [](const T& from, T& to, T d) { to = d * from; });
}

template <class T>
void scatter_rhs(std::span<const Index> place, std::span<const T> scale, std::span<const T> x,
                 DenseView<T> b) {
  each_entry(place, scale, b, x, [](T& to, const T& from, T d) { to = d * from; });
}

#define CLCHOL_INSTANTIATE(T)                                                                  \
  template void gather_rhs<T>(std::span<const Index>, std::span<const T>, DenseView<const T>,  \
                              std::span<T>);                                                   \
  template void scatter_rhs<T>(std::span<const Index>, std::span<const T>, std::span<const T>, \
                               DenseView<T>)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu::reference
