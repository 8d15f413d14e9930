#include "gpu_kernels/reference/trsm.hpp"

#include <algorithm>

namespace clchol::gpu::reference {
namespace {

// w := column j of the inverse of the block of order `width` whose entry (0, 0) is l[first].
template <class T>
void invert_column(std::span<const T> l, Offset first, Offset ld, Index width, Index j, T* w) {
  for (Index i = 0; i < width; ++i) {
    T sum = i == j ? T{1} : T{0};
    for (Index k = j; k < i; ++k) sum -= l[static_cast<std::size_t>(first + i + k * ld)] * w[k];
    w[i] = i < j ? T{0} : sum / l[static_cast<std::size_t>(first + i + i * ld)];
  }
}

}  // namespace

template <class T>
void trinv(const LowerTriangle& triangle, Index block, std::span<const T> l,
           std::span<T> inverses) {
  for (Index begin = 0; begin < triangle.order; begin += block) {
    const Index width = std::min(block, triangle.order - begin);
    const Offset first = triangle.triangle + begin + begin * triangle.ld;
    T* inverse = inverses.data() + triangle.inverses + Offset{begin} * block;
    std::fill_n(inverse, Offset{block} * block, T{0});
    for (Index j = 0; j < width; ++j) {
      invert_column(l, first, triangle.ld, width, j, inverse + Offset{j} * block);
    }
    for (Index j = width; j < block; ++j) inverse[Offset{j} * block + j] = T{1};
  }
}

template <class T>
void trsm(const RightSolve& solve, const LowerTriangle& triangle, std::span<const T> l,
          std::span<T> x) {
  const auto lower = [&](Index i, Index j) {
    return l[static_cast<std::size_t>(triangle.triangle + i + j * triangle.ld)];
  };
  for (Index i = 0; i < solve.m; ++i) {
    T* row = x.data() + solve.x + i;
    for (Index j = 0; j < triangle.order; ++j) {
      T sum = row[j * solve.ldx];
      for (Index c = 0; c < j; ++c) sum -= row[c * solve.ldx] * lower(j, c);
      row[j * solve.ldx] = sum / lower(j, j);
    }
  }
}

#define CLCHOL_INSTANTIATE(T)                                                            \
  template void trinv<T>(const LowerTriangle&, Index, std::span<const T>, std::span<T>); \
  template void trsm<T>(const RightSolve&, const LowerTriangle&, std::span<const T>, std::span<T>)
CLCHOL_INSTANTIATE(double);
CLCHOL_INSTANTIATE(float);
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::gpu::reference
