#include "gpu_kernels/reference/permute_rhs.hpp"

namespace clchol::gpu::reference {

template <class T>
void gather_rhs(std::span<const Index> perm, std::span<const T> scale, DenseView<const T> b,
                std::span<T> x) {
  for (std::size_t k = 0; k < perm.size(); ++k) {
    for (Index r = 0; r < b.ncol; ++r) {
      x[k * static_cast<std::size_t>(b.ncol) + static_cast<std::size_t>(r)] =
          (scale.empty() ? T{1} : scale[k]) * b(perm[k], r);
    }
  }
}

template <class T>
void scatter_rhs(std::span<const Index> perm, std::span<const T> scale, std::span<const T> x,
                 DenseView<T> b) {
  for (std::size_t k = 0; k < perm.size(); ++k) {
    for (Index r = 0; r < b.ncol; ++r) {
      b(perm[k], r) = (scale.empty() ? T{1} : scale[k]) *
                      x[k * static_cast<std::size_t>(b.ncol) + static_cast<std::size_t>(r)];
    }
  }
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
