// Per-target include: products of a part of a panel with many right-hand sides.
//
//   forward   W := W - A X    tiles of rows x right-hand sides, as in the factorization; under one
//                             row of tiles the panel's part stays in the first cache
//   backward  X := X - A' W   dot products down the columns: tiles of kDotColumns columns of A by
//                             kDotRhs right-hand sides, over pieces of kDotRows rows
//
// Either way the panel is read from memory once for all right-hand sides.
#if defined(CLCHOL_NUMERIC_DENSE_SOLVE_MANY_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_SOLVE_MANY_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_SOLVE_MANY_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_SOLVE_MANY_INL_HPP
#endif

#include <algorithm>

#include "numeric/dense/simd-inl.hpp"
#include "numeric/dense/solve_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

inline constexpr int kDotColumns = 4;
inline constexpr int kDotRhs = 3;       // 4 x 3 accumulators, 3 + 1 loads in 16 registers.
inline constexpr Index kDotRows = 256;  // 16 right-hand sides x 256 doubles: the first cache.

/// One tile of W := W - A X: M vectors of rows, N right-hand sides.
template <class T, int M, int N>
HWY_NOINLINE void product_tile(const PanelView<T>& a, const T* x, T* w, Offset ldw) {
  constexpr Index kLanes = TileShape<T>::kLanes;
  constexpr Tag<T> d;
  const Index last = a.nrow - (M - 1) * kLanes;
  Vector<T> c[M][N];
  HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][n] = hn::LoadU(d, w + n * ldw + m * kLanes);
  }
  const T* p = a.data;
  for (Index k = 0; k < a.ncol; ++k) {
    Vector<T> u[M];
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) {
      u[m] = hn::LoadU(d, p + m * kLanes);
      keep_in_register(u[m]);
    }
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
      const Vector<T> y = hn::Set(d, x[k + n * ldw]);
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][n] = hn::NegMulAdd(u[m], y, c[m][n]);
    }
    p += a.ld;
  }
  HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
    HWY_UNROLL(16) for (int m = 0; m + 1 < M; ++m) hn::StoreU(c[m][n], d, w + n * ldw + m * kLanes);
    store_first(d, c[M - 1][n], w + n * ldw + (M - 1) * kLanes, last);
  }
}

/// One tile of X := X - A' W: J columns of A, N right-hand sides.
template <class T, int J, int N>
HWY_NOINLINE void dot_tile(const PanelView<T>& a, const T* w, T* x, Offset ldw) {
  constexpr Index kLanes = TileShape<T>::kLanes;
  constexpr Tag<T> d;
  Vector<T> sum[J][N];
  HWY_UNROLL(16) for (int j = 0; j < J; ++j) {
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) sum[j][n] = hn::Zero(d);
  }
  Index i = 0;
  for (; i + kLanes <= a.nrow; i += kLanes) {
    Vector<T> v[N];
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
      v[n] = hn::LoadU(d, w + i + n * ldw);
      keep_in_register(v[n]);
    }
    HWY_UNROLL(16) for (int j = 0; j < J; ++j) {
      Vector<T> u = hn::LoadU(d, a.data + i + j * a.ld);
      keep_in_register(u);
      HWY_UNROLL(16) for (int n = 0; n < N; ++n) sum[j][n] = hn::MulAdd(u, v[n], sum[j][n]);
    }
  }
  if (i < a.nrow) {
    const auto valid = hn::FirstN(d, static_cast<size_t>(a.nrow - i));
    HWY_UNROLL(16) for (int j = 0; j < J; ++j) {
      const auto u = hn::IfThenElseZero(valid, hn::LoadU(d, a.data + i + j * a.ld));
      HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
        const auto v = hn::IfThenElseZero(valid, hn::LoadU(d, w + i + n * ldw));
        sum[j][n] = hn::MulAdd(u, v, sum[j][n]);
      }
    }
  }
  HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
    T* const to = x + n * ldw;
    HWY_UNROLL(16)
    for (int j = 0; j + 1 < J; j += 2) subtract_sums(sum[j][n], sum[j + 1][n], to + j);
    if constexpr (J % 2 != 0) to[J - 1] -= hn::GetLane(hn::SumOfLanes(d, sum[J - 1][n]));
  }
}

/// The tiles of both products, index 0 unused.
template <class T>
struct ManyTable {
  static constexpr int kVectors = TileShape<T>::kVectors, kColumns = TileShape<T>::kColumns;
  using Entry = void (*)(const PanelView<T>&, const T*, T*, Offset);
  Entry product[kVectors + 1][kColumns + 1] = {};
  Entry dot[kDotColumns + 1][kDotRhs + 1] = {};

  constexpr ManyTable() {
    fill_product<1, 1>();
    fill_dot<1, 1>();
  }

 private:
  template <int M, int N>
  constexpr void fill_product() {
    product[M][N] = &product_tile<T, M, N>;
    if constexpr (N < kColumns) {
      fill_product<M, N + 1>();
    } else if constexpr (M < kVectors) {
      fill_product<M + 1, 1>();
    }
  }
  template <int J, int N>
  constexpr void fill_dot() {
    dot[J][N] = &dot_tile<T, J, N>;
    if constexpr (N < kDotRhs) {
      fill_dot<J, N + 1>();
    } else if constexpr (J < kDotColumns) {
      fill_dot<J + 1, 1>();
    }
  }
};

template <class T>
inline constexpr ManyTable<T> kMany{};

/// SolveKernels::subtract_product_many.
template <class T>
void subtract_product_many(const PanelView<T>& a, const T* x, const ManyColumns<T>& w) {
  constexpr Index kRows = TileShape<T>::kRows, kLanes = TileShape<T>::kLanes;
  constexpr Index kColumns = TileShape<T>::kColumns;
  for (Index i = 0; i < a.nrow; i += kRows) {
    const Index rows = std::min(kRows, a.nrow - i);
    const PanelView<T> part{a.data + i, rows, a.ncol, a.ld};
    for (Index r = 0; r < w.nrhs; r += kColumns) {
      kMany<T>.product[(rows + kLanes - 1) / kLanes][std::min(kColumns, w.nrhs - r)](
          part, x + r * w.ldw, w.data + i + r * w.ldw, w.ldw);
    }
  }
}

/// How many of `left` right-hand sides the next dot tile takes: 4 = 2 + 2 rather than 3 + 1.
HWY_INLINE Index next_rhs(Index left) {
  return left == kDotRhs + 1 ? left / 2 : std::min<Index>(left, kDotRhs);
}

/// SolveKernels::subtract_transposed_many.
template <class T>
void subtract_transposed_many(const PanelView<T>& a, const T* w, const ManyColumns<T>& x) {
  for (Index i = 0; i < a.nrow; i += kDotRows) {
    const Index rows = std::min(kDotRows, a.nrow - i);
    for (Index j = 0; j < a.ncol; j += kDotColumns) {
      const Index width = std::min<Index>(kDotColumns, a.ncol - j);
      const PanelView<T> part{a.column(j) + i, rows, width, a.ld};
      for (Index r = 0, count = 0; r < x.nrhs; r += count) {
        count = next_rhs(x.nrhs - r);
        kMany<T>.dot[width][count](part, w + i + r * x.ldw, x.data + j + r * x.ldw, x.ldw);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
