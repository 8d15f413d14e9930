// The solve kernels for two or more right-hand sides, stored by rows (base/rows_view.hpp).
// This file is compiled once for each instruction set, by hwy/foreach_target.h.
//
// A panel of L is processed by blocks of neighbouring columns.  A block is [L1; L2]: L1 is the
// triangle on the panel's diagonal, and L2 the rectangle below L1.  X is the part of the right-hand
// sides in the rows of L1, and W the part in the rows of L2.
//
//   forward solve, for each block from left to right:
//     X := L1^-1 X
//     W(i, :) := W(i, :) - sum over j of L2(i, j) X(j, :)     X(j, :) stays in registers
//   backward solve, for each block from right to left:
//     X(j, :) := X(j, :) - sum over i of L2(i, j) W(i, :)     the sums stay in registers
//     X := L1^-T X
//
// The right-hand sides are processed by bands.  A band is 2^k neighbouring right-hand sides: one or
// two full vectors, or less than one vector.  Each entry of L is broadcast to all lanes of a vector
// and multiplied by all right-hand sides of the band.  So no kernel has to add up the lanes of a
// vector, or to mask lanes.
//
// ldw is the number of entries of a stored row of right-hand sides, padding included
// (row_length()).  The kernels also process the padding, which is zero.  ldw = 1 means one
// right-hand side, for which solve_vector-inl.hpp has other kernels.
#if defined(CLCHOL_NUMERIC_DENSE_SOLVE_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_SOLVE_ROWS_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_SOLVE_ROWS_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_SOLVE_ROWS_INL_HPP
#endif

#include <algorithm>

#include "numeric/dense/simd-inl.hpp"
#include "numeric/dense/solve_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

/// Greatest number of columns of a block.  For a band of two vectors, the registers hold two
/// vectors for each column of the block, two vectors of one row of W, and one broadcast entry of L.
/// The comments below give the numbers of registers for these three purposes, in this order.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr Index kRowsColumns = 8;  // 32 registers: 16 + 2 + 1.
#else
inline constexpr Index kRowsColumns = 4;  // 16 registers: 8 + 2 + 1.
#endif

/// Maps row i of W to a row of the array that contains W.  W's rows are consecutive, so row i of W
/// is row i of the array.
struct Consecutive {
  Index operator()(Index i) const { return i; }
};
/// Maps row i of W to a row of the array that contains W.  W's rows are scattered in the array, and
/// row i of W is row index[i] of the array.
struct Indexed {
  const Index* index;  // Row number in the array for each row of W.
  Index operator()(Index i) const { return index[i]; }
};

/// Operations with a block of N columns, for one band of right-hand sides.  The band has
/// M vectors with L lanes each (L: the template parameter, not the factor), that is M * L
/// right-hand sides.  The band of row i of W begins at w + place(i) * ldw, where `place` is a
/// Consecutive or an Indexed.  The band of row j of X begins at x + j * ldw.
template <class T, int L, int M, int N>
class RowsBlock {
 public:
  using D = hn::CappedTag<T, L>;
  using V = hn::Vec<D>;
  static constexpr D d{};

  /// Computes W := W - A X.  A is rows x N, column-major with leading dimension ld.  W has `rows`
  /// rows, X has N rows.
  template <class Place>
  static HWY_NOINLINE void product(const T* a, Offset ld, Index rows, const T* x, T* w, Offset ldw,
                                   Place place) {
    V y[N][M];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) load(y[j], x + j * ldw);
    for (Index i = 0; i < rows; ++i) {
      T* const to = w + place(i) * ldw;
      V c[M];
      load(c, to);
      HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
        V l = hn::Set(d, a[i + j * ld]);
        keep_entry(l);
        HWY_UNROLL(2) for (int m = 0; m < M; ++m) c[m] = hn::NegMulAdd(l, y[j][m], c[m]);
      }
      store(c, to);
    }
  }

  /// Computes X := X - A' W.  A is rows x N, column-major with leading dimension ld.  W has `rows`
  /// rows, X has N rows.
  template <class Place>
  static HWY_NOINLINE void transposed(const T* a, Offset ld, Index rows, const T* w, T* x,
                                      Offset ldw, Place place) {
    V sum[N][M];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
      HWY_UNROLL(2) for (int m = 0; m < M; ++m) sum[j][m] = hn::Zero(d);
    }
    for (Index i = 0; i < rows; ++i) {
      V v[M];
      load(v, w + place(i) * ldw);
      HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
        V l = hn::Set(d, a[i + j * ld]);
        keep_entry(l);
        HWY_UNROLL(2) for (int m = 0; m < M; ++m) sum[j][m] = hn::MulAdd(l, v[m], sum[j][m]);
      }
    }
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
      V c[M];
      load(c, x + j * ldw);
      HWY_UNROLL(2) for (int m = 0; m < M; ++m) c[m] = hn::Sub(c[m], sum[j][m]);
      store(c, x + j * ldw);
    }
  }

  /// Computes X := L1^-1 X for the N x N lower triangle L1 at `l`, which has leading dimension ld.
  /// @param inv_diag  1 / L1(j, j) for each column j of L1.  Length N.
  /// @param ldx       entries from one row of X to the next.
  static HWY_NOINLINE void forward_triangle(const T* l, Offset ld, const T* inv_diag, T* x,
                                            Offset ldx) {
    V c[N][M];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) load(c[j], x + j * ldx);
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
      scale(c[j], inv_diag[j]);
      HWY_UNROLL(8) for (int i = j + 1; i < N; ++i) subtract(c[i], l[i + j * ld], c[j]);
      store(c[j], x + j * ldx);
    }
  }

  /// Computes X := L1^-T X.  Parameters as for forward_triangle().
  static HWY_NOINLINE void backward_triangle(const T* l, Offset ld, const T* inv_diag, T* x,
                                             Offset ldx) {
    V c[N][M];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) load(c[j], x + j * ldx);
    HWY_UNROLL(8) for (int i = N - 1; i >= 0; --i) {
      scale(c[i], inv_diag[i]);
      HWY_UNROLL(8) for (int j = 0; j < i; ++j) subtract(c[j], l[i + j * ld], c[i]);
      store(c[i], x + i * ldx);
    }
  }

 private:
  static HWY_INLINE void load(V (&v)[M], const T* from) {
    HWY_UNROLL(2) for (int m = 0; m < M; ++m) v[m] = hn::LoadU(d, from + m * L);
  }
  static HWY_INLINE void store(const V (&v)[M], T* to) {
    HWY_UNROLL(2) for (int m = 0; m < M; ++m) hn::StoreU(v[m], d, to + m * L);
  }
  static HWY_INLINE void scale(V (&v)[M], T by) {
    HWY_UNROLL(2) for (int m = 0; m < M; ++m) v[m] = hn::Mul(v[m], hn::Set(d, by));
  }
  static HWY_INLINE void subtract(V (&v)[M], T l, const V (&x)[M]) {
    HWY_UNROLL(2) for (int m = 0; m < M; ++m) v[m] = hn::NegMulAdd(hn::Set(d, l), x[m], v[m]);
  }
  /// Keeps the vector `l`, one entry of L in every lane, in a register, so that the entry is loaded
  /// once for the M products that use it.
  static HWY_INLINE void keep_entry(V& l) {
    if constexpr (M > 1) keep_in_register(l);
  }
};

/// Pointers to the functions of RowsBlock for one number of columns and one number of right-hand
/// sides of a band.
template <class T>
struct RowsKernels {
  /// Type of pointers to RowsBlock::product(), whose x is `from` and whose w is `to`, and to
  /// RowsBlock::transposed(), whose w is `from` and whose x is `to`.
  template <class Place>
  using Rectangle = void (*)(const T* a, Offset ld, Index rows, const T* from, T* to, Offset ldw,
                             Place place);
  using Triangle = void (*)(const T* l, Offset ld, const T* inv_diag, T* x, Offset ldx);
  Rectangle<Consecutive> product = nullptr, transposed = nullptr;
  Rectangle<Indexed> indexed_product = nullptr, indexed_transposed = nullptr;
  Triangle forward = nullptr, backward = nullptr;
};

/// Pointers to the functions of RowsBlock for all numbers of columns and all sizes of bands.
template <class T>
struct RowsTable {
  static constexpr int kLanes = TileShape<T>::kLanes;
  // Number of right-hand sides of the largest band.
  static constexpr Offset kMostRhs = Offset{2} * kLanes;
  // First index: log2 of the number of right-hand sides of the band, at most 5 (two vectors of 16
  // floats).  Second index: log2 of the number of columns of the block, at most 3.
  RowsKernels<T> kernels[6][4] = {};

  constexpr RowsTable() { fill<0>(); }

 private:
  template <int R>
  constexpr void fill() {
    constexpr int kRhs = 1 << R;
    constexpr int kOfVector = kRhs < kLanes ? kRhs : kLanes;
    fill_columns<R, kOfVector, kRhs / kOfVector, 0>();
    if constexpr (kRhs < kMostRhs) fill<R + 1>();
  }
  template <int R, int L, int M, int C>
  constexpr void fill_columns() {
    using Block = RowsBlock<T, L, M, 1 << C>;
    kernels[R][C] = {&Block::template product<Consecutive>,
                     &Block::template transposed<Consecutive>,
                     &Block::template product<Indexed>,
                     &Block::template transposed<Indexed>,
                     &Block::forward_triangle,
                     &Block::backward_triangle};
    if constexpr ((2 << C) <= kRowsColumns) {
      fill_columns<R, L, M, C + 1>();
    }
  }
};

template <class T>
inline constexpr RowsTable<T> kRowsTable{};

/// @return the greatest k with 2^k <= v, for v >= 1.
constexpr int log2_floor(Offset v) {
  int log = 0;
  while ((Offset{2} << log) <= v) ++log;
  return log;
}

/// Divides `length` right-hand sides, padding included, into bands, and calls f(kernels, r) for
/// each band.  The argument `kernels` is the RowsKernels for the size of the band and for
/// 2^log_columns columns; r is the band's first right-hand side.
/// @param log_columns  log2 of the number of columns of the block.
template <class T, class F>
HWY_INLINE void for_each_band(Offset length, int log_columns, const F& f) {
  for (Offset r = 0; r < length;) {
    const int log = log2_floor(std::min(length - r, RowsTable<T>::kMostRhs));
    f(kRowsTable<T>.kernels[log][log_columns], r);
    r += Offset{1} << log;
  }
}

/// @return log2 of the number of columns of the next block.
/// @param left  number of columns of the panel that are not yet processed, at least 1.
HWY_INLINE int next_columns(Index left) { return log2_floor(std::min(left, kRowsColumns)); }

/// Implements SolveKernels::forward_panel for ldw > 1.
template <class T>
void forward_rows(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw) {
  for (Index j = 0; j < l.ncol;) {
    const int log = next_columns(l.ncol - j);
    const Index width = Index{1} << log, below = l.nrow - j - width;
    const T* const block = l.column(j) + j;
    for_each_band<T>(ldw, log, [&](const RowsKernels<T>& k, Offset r) {
      T* const x = w + j * ldw + r;
      k.forward(block, l.ld, inv_diag + j, x, ldw);
      if (below > 0) k.product(block + width, l.ld, below, x, x + width * ldw, ldw, {});
    });
    j += width;
  }
}

/// Implements SolveKernels::backward_panel for ldw > 1.
template <class T>
void backward_rows(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw) {
  for (Index end = l.ncol; end > 0;) {
    const int log = next_columns(end);
    const Index width = Index{1} << log, j = end - width, below = l.nrow - end;
    const T* const block = l.column(j) + j;
    for_each_band<T>(ldw, log, [&](const RowsKernels<T>& k, Offset r) {
      T* const x = w + j * ldw + r;
      if (below > 0) k.transposed(block + width, l.ld, below, x + width * ldw, x, ldw, {});
      k.backward(block, l.ld, inv_diag + j, x, ldw);
    });
    end = j;
  }
}

/// Implements SolveKernels::subtract_product for ldw > 1.
template <class T>
void product_rows(const PanelView<T>& a, const T* x, T* w, Offset ldw) {
  for (Index j = 0; j < a.ncol;) {
    const int log = next_columns(a.ncol - j);
    for_each_band<T>(ldw, log, [&](const RowsKernels<T>& k, Offset r) {
      k.product(a.column(j), a.ld, a.nrow, x + j * ldw + r, w + r, ldw, {});
    });
    j += Index{1} << log;
  }
}

/// Implements SolveKernels::subtract_transposed for ldw > 1.
template <class T>
void transposed_rows(const PanelView<T>& a, const T* w, T* x, Offset ldw) {
  for (Index j = 0; j < a.ncol;) {
    const int log = next_columns(a.ncol - j);
    for_each_band<T>(ldw, log, [&](const RowsKernels<T>& k, Offset r) {
      k.transposed(a.column(j), a.ld, a.nrow, w + r, x + j * ldw + r, ldw, {});
    });
    j += Index{1} << log;
  }
}

/// Implements SolveKernels::subtract_product_at for ldw > 1.
template <class T>
void indexed_product_rows(const PanelView<T>& a, const T* x, T* w, Offset ldw, const Index* index) {
  for (Index j = 0; j < a.ncol;) {
    const int log = next_columns(a.ncol - j);
    for_each_band<T>(ldw, log, [&](const RowsKernels<T>& k, Offset r) {
      k.indexed_product(a.column(j), a.ld, a.nrow, x + j * ldw + r, w + r, ldw, {index});
    });
    j += Index{1} << log;
  }
}

/// Implements SolveKernels::subtract_transposed_at for ldw > 1.
template <class T>
void indexed_transposed_rows(const PanelView<T>& a, const T* w, T* x, Offset ldw,
                             const Index* index) {
  for (Index j = 0; j < a.ncol;) {
    const int log = next_columns(a.ncol - j);
    for_each_band<T>(ldw, log, [&](const RowsKernels<T>& k, Offset r) {
      k.indexed_transposed(a.column(j), a.ld, a.nrow, w + r, x + j * ldw + r, ldw, {index});
    });
    j += Index{1} << log;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
