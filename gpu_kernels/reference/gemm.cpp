#include "gpu_kernels/reference/gemm.hpp"

#include "base/update_layout.hpp"

namespace clchol::gpu::reference {

template <class T>
void gemm(const MatrixProduct& p, std::span<const T> a, std::span<const T> b, std::span<T> c) {
  for (Index j = 0; j < p.n; ++j) {
    const Offset column =
        p.c + ((p.form & CLCHOL_UPDATE) != 0 ? update_column_offset(p.m, j) : j * p.ldc);
    for (Index i = (p.form & CLCHOL_LOWER) != 0 ? j : 0; i < p.m; ++i) {
      T sum = 0;
      for (Index k = 0; k < p.k; ++k) {
        sum += a[static_cast<std::size_t>(p.a + i + k * p.lda)] *
               b[static_cast<std::size_t>(p.b + j + k * p.ldb)];
      }
      T& entry = c[static_cast<std::size_t>(column + i)];
      entry = (p.form & CLCHOL_SUBTRACT) != 0 ? entry - sum : -sum;
    }
  }
}

template void gemm<double>(const MatrixProduct&, std::span<const double>, std::span<const double>,
                           std::span<double>);
template void gemm<float>(const MatrixProduct&, std::span<const float>, std::span<const float>,
                          std::span<float>);

}  // namespace clchol::gpu::reference
