// The solve kernels for one right-hand side w.  Compiled once per instruction set, by
// hwy/foreach_target.h.
//
// The panel is processed in blocks of eight columns; the last block may have fewer.  Scalar code
// solves with the triangle of a block.  One pass over the rows below the triangle applies all eight
// columns, so that each vector of w is loaded and stored once for eight loads of the panel.
//
// Small panels use this code, too.  Plain loops were no faster for any measured panel, of 4 x 2 to
// 80 x 30 entries.  In these measurements w was copied from scattered entries just before the call.
#if defined(CLCHOL_NUMERIC_DENSE_SOLVE_VECTOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_SOLVE_VECTOR_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_SOLVE_VECTOR_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_SOLVE_VECTOR_INL_HPP
#endif

#include <algorithm>

#include "numeric/dense/simd-inl.hpp"
#include "numeric/dense/solve_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

/// Greatest number of columns of a block.
inline constexpr Index kSolveColumns = 8;

/// Operations on a block of N columns of a panel.  The last rows are loaded as a whole vector,
/// which may reach behind the arrays by at most kReadSlack entries (kernels.hpp).
template <class T, int N>
class ColumnBlock {
 public:
  static constexpr Index kLanes = TileShape<T>::kLanes;
  static constexpr Tag<T> d{};
  using V = Vector<T>;

  /// w := w - A x for `rows` rows of A and w, and the N columns of A.
  static HWY_INLINE void subtract_product(const T* a, Offset ld, Index rows, const T* x, T* w) {
    V y[N];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) y[j] = hn::Set(d, x[j]);
    Index i = 0;
    for (; i + kLanes <= rows; i += kLanes) hn::StoreU(one_vector(a + i, ld, y, w + i), d, w + i);
    if (i < rows) store_first(d, one_vector(a + i, ld, y, w + i), w + i, rows - i);
  }

  /// x := x - A' w for `rows` rows of A and w, and the N columns of A.
  static HWY_INLINE void subtract_transposed(const T* a, Offset ld, Index rows, const T* w, T* x) {
    V sum[N];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) sum[j] = hn::Zero(d);
    Index i = 0;
    for (; i + kLanes <= rows; i += kLanes) {
      const V v = hn::LoadU(d, w + i);
      HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
        sum[j] = hn::MulAdd(hn::LoadU(d, a + i + j * ld), v, sum[j]);
      }
    }
    if (i < rows) {
      const auto valid = hn::FirstN(d, static_cast<size_t>(rows - i));
      const V v = hn::IfThenElseZero(valid, hn::LoadU(d, w + i));
      HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
        const V u = hn::IfThenElseZero(valid, hn::LoadU(d, a + i + j * ld));
        sum[j] = hn::MulAdd(u, v, sum[j]);
      }
    }
    HWY_UNROLL(8) for (int j = 0; j + 1 < N; j += 2) subtract_sums(sum[j], sum[j + 1], x + j);
    if constexpr (N % 2 != 0) x[N - 1] -= hn::GetLane(hn::SumOfLanes(d, sum[N - 1]));
  }

  /// w := triangle^-1 w, where the N x N lower triangle begins at `l`.
  static HWY_INLINE void forward_triangle(const T* l, Offset ld, const T* inv_diag, T* w) {
    T x[N];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) x[j] = w[j];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
      x[j] *= inv_diag[j];
      HWY_UNROLL(8) for (int i = j + 1; i < N; ++i) x[i] -= l[i + j * ld] * x[j];
    }
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) w[j] = x[j];
  }

  /// w := triangle^-T w, where the N x N lower triangle begins at `l`.
  static HWY_INLINE void backward_triangle(const T* l, Offset ld, const T* inv_diag, T* w) {
    T x[N];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) x[j] = w[j];
    HWY_UNROLL(8) for (int i = N - 1; i >= 0; --i) {
      x[i] *= inv_diag[i];
      HWY_UNROLL(8) for (int j = 0; j < i; ++j) x[j] -= l[i + j * ld] * x[i];
    }
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) w[j] = x[j];
  }

  // The four functions below are the entries of BlockTable.  product() and transposed() are
  // subtract_product() and subtract_transposed() as functions that can be called by pointer.

  /// Solves with the N x N triangle at `l`, then updates w for the `rows` rows below the triangle.
  static HWY_NOINLINE void forward(const T* l, Offset ld, Index rows, const T* inv_diag, T* w) {
    forward_triangle(l, ld, inv_diag, w);
    subtract_product(l + N, ld, rows, w, w + N);
  }
  /// Updates w by the `rows` rows below the N x N triangle at `l`, then solves with the transposed
  /// triangle.
  static HWY_NOINLINE void backward(const T* l, Offset ld, Index rows, const T* inv_diag, T* w) {
    subtract_transposed(l + N, ld, rows, w + N, w);
    backward_triangle(l, ld, inv_diag, w);
  }
  static HWY_NOINLINE void product(const T* a, Offset ld, Index rows, const T* x, T* w) {
    subtract_product(a, ld, rows, x, w);
  }
  static HWY_NOINLINE void transposed(const T* a, Offset ld, Index rows, const T* w, T* x) {
    subtract_transposed(a, ld, rows, w, x);
  }

 private:
  /// @return w - A x for one vector of rows; the first row of A is at `a`, that of w at `w`.
  /// @param y  y[j] holds entry j of x in every lane.
  static HWY_INLINE V one_vector(const T* a, Offset ld, const V (&y)[N], const T* w) {
    V v = hn::LoadU(d, w);
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
      v = hn::NegMulAdd(hn::LoadU(d, a + j * ld), y[j], v);
    }
    return v;
  }
};

/// Pointers to the operations of ColumnBlock, indexed by the number of columns of the block, 1 to
/// kSolveColumns.  Index 0 is unused.
template <class T>
struct BlockTable {
  using Solve = void (*)(const T*, Offset, Index, const T*, T*);
  Solve forward[kSolveColumns + 1] = {}, backward[kSolveColumns + 1] = {};
  Solve product[kSolveColumns + 1] = {}, transposed[kSolveColumns + 1] = {};

  constexpr BlockTable() { fill<1>(); }

 private:
  template <int N>
  constexpr void fill() {
    forward[N] = &ColumnBlock<T, N>::forward;
    backward[N] = &ColumnBlock<T, N>::backward;
    product[N] = &ColumnBlock<T, N>::product;
    transposed[N] = &ColumnBlock<T, N>::transposed;
    if constexpr (N < kSolveColumns) fill<N + 1>();
  }
};

template <class T>
inline constexpr BlockTable<T> kBlocks{};

/// SolveKernels::forward_panel for one right-hand side.
template <class T>
void forward_vector(const PanelView<T>& l, const T* inv_diag, T* w) {
  for (Index j = 0; j < l.ncol; j += kSolveColumns) {
    const Index width = std::min(kSolveColumns, l.ncol - j);
    kBlocks<T>.forward[width](l.column(j) + j, l.ld, l.nrow - j - width, inv_diag + j, w + j);
  }
}

/// SolveKernels::backward_panel for one right-hand side.
template <class T>
void backward_vector(const PanelView<T>& l, const T* inv_diag, T* w) {
  for (Index j = (l.ncol - 1) / kSolveColumns * kSolveColumns; j >= 0; j -= kSolveColumns) {
    const Index width = std::min(kSolveColumns, l.ncol - j);
    kBlocks<T>.backward[width](l.column(j) + j, l.ld, l.nrow - j - width, inv_diag + j, w + j);
  }
}

/// SolveKernels::subtract_product for one right-hand side.
template <class T>
void product_vector(const PanelView<T>& a, const T* x, T* w) {
  for (Index j = 0; j < a.ncol; j += kSolveColumns) {
    kBlocks<T>.product[std::min(kSolveColumns, a.ncol - j)](a.column(j), a.ld, a.nrow, x + j, w);
  }
}

/// SolveKernels::subtract_transposed for one right-hand side.
template <class T>
void transposed_vector(const PanelView<T>& a, const T* w, T* x) {
  for (Index j = 0; j < a.ncol; j += kSolveColumns) {
    kBlocks<T>.transposed[std::min(kSolveColumns, a.ncol - j)](a.column(j), a.ld, a.nrow, w, x + j);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
