// The solve kernels for one right-hand side w, a vector.  This file is compiled once for each
// instruction set, by hwy/foreach_target.h.
//
// A panel of L is processed by blocks of eight columns; the last block may have fewer columns.  A
// block is [L1; L2]: L1 is the triangle on the panel's diagonal, and L2 the rectangle below L1.
// Scalar code solves with L1.  The product with L2 takes one pass over the rows of L2: for every
// kLanes rows, eight vectors of L2 are loaded, but the vector of w only once.
//
// Small panels use this code, too.  Plain loops were not faster for any of the measured panels,
// which had 4 x 2 to 80 x 30 entries.  In these measurements, w was copied from scattered entries
// just before the call.
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

/// Operations with a block of N columns of a panel.  If the number of rows is not a multiple of
/// kLanes, the last rows are still loaded as a whole vector, which may extend beyond the end of the
/// arrays by up to kReadSlack entries (kernels.hpp).
template <class T, int N>
class ColumnBlock {
 public:
  static constexpr Index kLanes = TileShape<T>::kLanes;
  static constexpr Tag<T> d{};
  using V = Vector<T>;

  /// Computes w := w - A x.  A is rows x N, column-major with leading dimension ld.  w has `rows`
  /// entries, x has N entries.
  static HWY_INLINE void subtract_product(const T* a, Offset ld, Index rows, const T* x, T* w) {
    V y[N];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) y[j] = hn::Set(d, x[j]);
    Index i = 0;
    for (; i + kLanes <= rows; i += kLanes) hn::StoreU(one_vector(a + i, ld, y, w + i), d, w + i);
    if (i < rows) store_first(d, one_vector(a + i, ld, y, w + i), w + i, rows - i);
  }

  /// Computes x := x - A' w.  A is rows x N, column-major with leading dimension ld.  w has `rows`
  /// entries, x has N entries.
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

  /// Computes w := L1^-1 w for the N x N lower triangle L1 at `l`, which has leading dimension ld.
  /// @param inv_diag  1 / L1(j, j) for each column j of L1.  Length N.
  /// @param w         N entries.
  static HWY_INLINE void forward_triangle(const T* l, Offset ld, const T* inv_diag, T* w) {
    T x[N];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) x[j] = w[j];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
      x[j] *= inv_diag[j];
      HWY_UNROLL(8) for (int i = j + 1; i < N; ++i) x[i] -= l[i + j * ld] * x[j];
    }
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) w[j] = x[j];
  }

  /// Computes w := L1^-T w.  Parameters as for forward_triangle().
  static HWY_INLINE void backward_triangle(const T* l, Offset ld, const T* inv_diag, T* w) {
    T x[N];
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) x[j] = w[j];
    HWY_UNROLL(8) for (int i = N - 1; i >= 0; --i) {
      x[i] *= inv_diag[i];
      HWY_UNROLL(8) for (int j = 0; j < i; ++j) x[j] -= l[i + j * ld] * x[i];
    }
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) w[j] = x[j];
  }

  // BlockTable contains pointers to the next four functions.  product() only calls
  // subtract_product(), and transposed() only calls subtract_transposed(): the callees are inlined,
  // and a pointer needs a function that is not inlined.

  /// Forward solve with the block [L1; L2], where L1 is the N x N triangle at `l`, and L2 is `rows`
  /// rows below L1.  For w = [w1; w2], where w1 has N entries: w1 := L1^-1 w1, then, with the new
  /// w1, w2 := w2 - L2 w1.
  static HWY_NOINLINE void forward(const T* l, Offset ld, Index rows, const T* inv_diag, T* w) {
    forward_triangle(l, ld, inv_diag, w);
    subtract_product(l + N, ld, rows, w, w + N);
  }
  /// Backward solve with the block [L1; L2]: w1 := L1^-T (w1 - L2' w2).  Notation as for forward().
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
  /// @return w - A x for kLanes rows.
  /// @param a  address of A(0, 0); A is kLanes x N, column-major with leading dimension ld.
  /// @param y  y[j] holds x(j) in every lane.
  /// @param w  kLanes entries.
  static HWY_INLINE V one_vector(const T* a, Offset ld, const V (&y)[N], const T* w) {
    V v = hn::LoadU(d, w);
    HWY_UNROLL(8) for (int j = 0; j < N; ++j) {
      v = hn::NegMulAdd(hn::LoadU(d, a + j * ld), y[j], v);
    }
    return v;
  }
};

/// Pointers to the functions forward(), backward(), product() and transposed() of ColumnBlock.
/// Index: the number of columns of the block, 1 to kSolveColumns.  Index 0 is unused.
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

/// Implements SolveKernels::forward_panel for one right-hand side.
template <class T>
void forward_vector(const PanelView<T>& l, const T* inv_diag, T* w) {
  for (Index j = 0; j < l.ncol; j += kSolveColumns) {
    const Index width = std::min(kSolveColumns, l.ncol - j);
    kBlocks<T>.forward[width](l.column(j) + j, l.ld, l.nrow - j - width, inv_diag + j, w + j);
  }
}

/// Implements SolveKernels::backward_panel for one right-hand side.
template <class T>
void backward_vector(const PanelView<T>& l, const T* inv_diag, T* w) {
  for (Index j = (l.ncol - 1) / kSolveColumns * kSolveColumns; j >= 0; j -= kSolveColumns) {
    const Index width = std::min(kSolveColumns, l.ncol - j);
    kBlocks<T>.backward[width](l.column(j) + j, l.ld, l.nrow - j - width, inv_diag + j, w + j);
  }
}

/// Implements SolveKernels::subtract_product for one right-hand side.
template <class T>
void product_vector(const PanelView<T>& a, const T* x, T* w) {
  for (Index j = 0; j < a.ncol; j += kSolveColumns) {
    kBlocks<T>.product[std::min(kSolveColumns, a.ncol - j)](a.column(j), a.ld, a.nrow, x + j, w);
  }
}

/// Implements SolveKernels::subtract_transposed for one right-hand side.
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
