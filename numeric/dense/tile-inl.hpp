// The register tile: kernels that compute one small block C of a front in registers.  Nearly all
// flops of a factorization on the CPU are done here.  This file is compiled once for each
// instruction set, by hwy/foreach_target.h.
//
// C has N columns, and each column of C is M vectors.  In memory C is a block of a column-major
// matrix.  Every operation begins with the product
//
//   C := C - A B'   (update_fresh(): C := -A B'),   where A and B have `depth` columns
//
//   A: one row for each row of C;     entry (i, k) is a[i + k * a_step]
//   B: one row for each column of C;  entry (j, k) is b[j + k * b_step]
//
// The operations update_fresh() and update_add() consist of this product alone.  After the product,
// factor() factors C, whose entry (0, 0) is on the front's diagonal.  After the product, solve()
// and solve_and_pack() compute C := C L^-T, where L is the triangle of another tile, which factor()
// has factored before.  All steps of an operation take place in registers: C is loaded at most
// once, and stored once.
//
// A and B lie either in a panel or in slivers (packed_front-inl.hpp).  A sliver is a copy of
// kSliverRows consecutive rows of an operand, column-major with leading dimension kSliverRows.  For
// the tile, the two cases differ only in a_step and b_step.  The last of the M vectors may hold
// fewer rows than the vector has lanes: the last vector is loaded as a whole (see kReadSlack in
// kernels.hpp), but only its first `last` lanes are stored.
#if defined(CLCHOL_NUMERIC_DENSE_TILE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_TILE_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_TILE_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_TILE_INL_HPP
#endif

#include <limits>

#include "numeric/dense/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

/// Leading dimensions and depth of a product C - A B'.  All tiles in the same columns of a front
/// have the same TileSteps.
struct TileSteps {
  Offset a_step;  // Leading dimension of A, in entries.
  Offset b_step;  // Leading dimension of B, in entries.
  Offset ldc;     // Leading dimension of C in memory, in entries.
  Offset depth;   // Number of columns of A and B.
};

/// Arguments of Tile::solve() and Tile::solve_and_pack(): the triangle L of C := C L^-T, and the
/// destination of the copy of C.
template <class T>
struct TriangleArgs {
  const T* l;         // L: N x N, lower triangle, column-major.
  Offset ldl;         // Leading dimension of L, in entries.
  const T* inv_diag;  // 1 / L(j, j) for each column j of L.  Length N.
  T* packed;          // Address in a sliver where solve_and_pack() stores a copy of C; unused in
                      // solve().
};

/// Arrays to which Tile::factor() writes results other than C.
template <class T>
struct PivotPlace {
  T* inv_diag;  // Receives 1 / L(j, j) for j < N if all pivots are good.  Length N.
  // If any pivot is bad: receives d(0) to d(k), where d(k) is the first bad pivot; the values after
  // d(k) are undefined.  d(j) is the pivot of column j before its square root is taken (factor()).
  // Length N.
  T* pivots;
};

/// Operations on a tile C of M vectors by N columns.  The arguments of a call are few enough to be
/// passed in registers:
///   s          leading dimensions and depth
///   a, b, to   addresses of A(0, 0), B(0, 0), and C(0, 0) in memory
///   last       number of rows of C in the last of the M vectors, 1 to kLanes
template <class T, int M, int N>
class Tile {
 public:
  static constexpr int kLanes = TileShape<T>::kLanes;
  static constexpr int kSliverRows = TileShape<T>::kRows;
  static constexpr Tag<T> d{};
  using V = Vector<T>;

  /// Computes C := -A B'.
  static HWY_NOINLINE void update_fresh(const TileSteps& s, const T* a, const T* b, T* to,
                                        Index last) {
    V c[M][N];
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][n] = hn::Zero(d);
    }
    subtract_product(c, a, b, s);
    store(c, to, s.ldc, last);
  }

  /// Computes C := C - A B'.
  static HWY_NOINLINE void update_add(const TileSteps& s, const T* a, const T* b, T* to,
                                      Index last) {
    V c[M][N];
    load(c, to, s.ldc);
    subtract_product(c, a, b, s);
    store(c, to, s.ldc, last);
  }

  /// Computes C := C - A B', then factors the new C = [C1; C2], where C1 is N x N: C1 = L L', and
  /// C := [L; C2 L^-T].  Overwrites the strict upper triangle of C1 with values without a meaning.
  /// @return whether all pivots are good (is_good_pivot() in pivot.hpp).  If not, C in memory is
  ///         unchanged, and place.pivots holds the pivots up to the first bad one.
  ///
  /// The elimination has no square roots (LDL' factorization), so that no column waits for the root
  /// of the column before.  Pivot d(j+1) is computed from broadcast values before the vectors of
  /// column j + 1 are ready:
  ///   d(j+1) = c(j+1,j+1) - c(j+1,j)^2 / d(j)
  /// So the chain of operations that wait for each other has one division and one multiply-add per
  /// column.  The reciprocals 1 / d(j) are collected in vectors.  After the last column, the square
  /// roots of these vectors are taken, and column j is multiplied by 1 / sqrt(d(j)).
  static HWY_NOINLINE bool factor(const TileSteps& s, const T* a, const T* b, T* to, Index last,
                                  const PivotPlace<T>& place) {
    V c[M][N];
    load(c, to, s.ldc);
    subtract_product(c, a, b, s);
    V root[kPivotVectors];
    HWY_UNROLL(16) for (int q = 0; q < kPivotVectors; ++q) root[q] = hn::Set(d, T{1});
    eliminate<0>(c, root, broadcast_lane<0, T>(c[0][0]));
    HWY_UNROLL(16) for (int q = 0; q < kPivotVectors; ++q) root[q] = hn::Sqrt(root[q]);
    if (HWY_UNLIKELY(!all_good(root))) {
      HWY_UNROLL(16) for (int j = 0; j < N; ++j) {
        alignas(64) T lanes[kLanes];
        hn::StoreU(c[j / kLanes][j], d, lanes);
        place.pivots[j] = lanes[j % kLanes];
      }
      return false;
    }
    scale_columns<0>(c, root);
    store(c, to, s.ldc, last);
    HWY_UNROLL(16) for (int q = 0; q < kPivotVectors; ++q) {
      constexpr int kRest = N - (kPivotVectors - 1) * kLanes;
      store_first(d, root[q], place.inv_diag + q * kLanes, q + 1 < kPivotVectors ? kLanes : kRest);
    }
    return true;
  }

  /// Computes C := (C - A B') L^-T, where L is the N x N triangle t.l.
  static HWY_NOINLINE void solve(const TileSteps& s, const T* a, const T* b, T* to, Index last,
                                 const TriangleArgs<T>& t) {
    V c[M][N];
    load(c, to, s.ldc);
    subtract_product(c, a, b, s);
    substitute(c, t);
    store(c, to, s.ldc, last);
  }

  /// Computes C := (C - A B') L^-T as solve() does, and stores a copy of C at t.packed, with
  /// leading dimension kSliverRows.  The copy has M * kLanes rows; if C has fewer rows, the last
  /// rows of the copy are undefined.
  static HWY_NOINLINE void solve_and_pack(const TileSteps& s, const T* a, const T* b, T* to,
                                          Index last, const TriangleArgs<T>& t) {
    V c[M][N];
    load(c, to, s.ldc);
    subtract_product(c, a, b, s);
    substitute(c, t);
    store(c, to, s.ldc, last);
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) {
        hn::StoreU(c[m][n], d, t.packed + n * kSliverRows + m * kLanes);
      }
    }
  }

 private:
  static HWY_INLINE void load(V (&c)[M][N], const T* from, Offset ldc) {
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) {
        c[m][n] = hn::LoadU(d, from + n * ldc + m * kLanes);
      }
    }
  }

  static HWY_INLINE void store(const V (&c)[M][N], T* to, Offset ldc, Index last) {
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
      HWY_UNROLL(16) for (int m = 0; m + 1 < M; ++m) {
        hn::StoreU(c[m][n], d, to + n * ldc + m * kLanes);
      }
    }
    T* const tail = to + (M - 1) * kLanes;
    if (HWY_LIKELY(last == kLanes)) {
      HWY_UNROLL(16) for (int n = 0; n < N; ++n) hn::StoreU(c[M - 1][n], d, tail + n * ldc);
    } else {
      HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
        store_first(d, c[M - 1][n], tail + n * ldc, last);
      }
    }
  }

  /// Computes c := c - A B' for the tile c in registers.
  static HWY_INLINE void subtract_product(V (&c)[M][N], const T* HWY_RESTRICT a,
                                          const T* HWY_RESTRICT b, const TileSteps& s) {
    const Offset a_step = s.a_step, b_step = s.b_step;
    for (Offset k = s.depth; k > 0; --k) {
      V x[M];
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) {
        x[m] = hn::LoadU(d, a + m * kLanes);
        keep_in_register(x[m]);
      }
      HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
        const V y = hn::Set(d, b[n]);
        HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][n] = hn::NegMulAdd(x[m], y, c[m][n]);
      }
      a += a_step;
      b += b_step;
    }
  }

  /// Number of vectors that hold N values, one value for each column of the tile.
  static constexpr int kPivotVectors = (N + kLanes - 1) / kLanes;

  /// Eliminates columns J to N - 1 of c, after columns 0 to J - 1 have been eliminated.  Columns
  /// are not yet scaled by square roots.  c(j,j) becomes d(j).
  /// @param reciprocals  lane j % kLanes of reciprocals[j / kLanes] receives 1 / d(j), for j from J
  ///                     to N - 1.
  /// @param pivot        d(J) in every lane.
  template <int J>
  static HWY_INLINE void eliminate(V (&c)[M][N], V (&reciprocals)[kPivotVectors], V pivot) {
    static_assert(M * kLanes >= N);
    constexpr int kLane = J % kLanes, kNext = J + 1;
    const V reciprocal = hn::Div(hn::Set(d, T{1}), pivot);
    if constexpr (kNext < N) {
      const V below = broadcast_lane<kNext % kLanes, T>(c[kNext / kLanes][J]);
      const V next = broadcast_lane<kNext % kLanes, T>(c[kNext / kLanes][kNext]);
      const V next_pivot = hn::NegMulAdd(hn::Mul(below, below), reciprocal, next);
      V scaled[M];
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) scaled[m] = hn::Mul(c[m][J], reciprocal);
      subtract_column<J, kNext>(c, scaled);
      eliminate<kNext>(c, reciprocals, next_pivot);
    }
    reciprocals[J / kLanes] = replace_lane<kLane, T>(reciprocals[J / kLanes], reciprocal);
    c[J / kLanes][J] = replace_lane<kLane, T>(c[J / kLanes][J], pivot);
  }

  /// @return whether all values 1 / sqrt(d(j)) in `root` are positive and finite, which means that
  ///         is_good_pivot(d(j)) is true for all pivots.
  static HWY_INLINE bool all_good(const V (&root)[kPivotVectors]) {
    bool good = true;
    HWY_UNROLL(16) for (int q = 0; q < kPivotVectors; ++q) {
      good = good &&
             hn::AllTrue(d, hn::And(hn::Gt(root[q], hn::Zero(d)), hn::Lt(root[q], hn::Inf(d))));
    }
    return good;
  }

  /// Computes c(:,j) := c(:,j) / sqrt(d(j)) for columns j from J to N - 1.
  /// @param root  lane j % kLanes of root[j / kLanes] holds 1 / sqrt(d(j)).
  template <int J>
  static HWY_INLINE void scale_columns(V (&c)[M][N], const V (&root)[kPivotVectors]) {
    const V r = broadcast_lane<J % kLanes, T>(root[J / kLanes]);
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][J] = hn::Mul(c[m][J], r);
    if constexpr (J + 1 < N) scale_columns<J + 1>(c, root);
  }

  /// Computes c(:,n) := c(:,n) - c(:,J) c(n,J) / d(J) for columns n from N0 to N - 1.
  /// @param scaled  c(:,J) / d(J), as M vectors.
  template <int J, int N0>
  static HWY_INLINE void subtract_column(V (&c)[M][N], const V (&scaled)[M]) {
    const V y = broadcast_lane<N0 % kLanes, T>(c[N0 / kLanes][J]);
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][N0] = hn::NegMulAdd(scaled[m], y, c[m][N0]);
    if constexpr (N0 + 1 < N) subtract_column<J, N0 + 1>(c, scaled);
  }

  /// Computes c := c L^-T for the tile c in registers, where L is the triangle t.l.
  static HWY_INLINE void substitute(V (&c)[M][N], const TriangleArgs<T>& t) {
    HWY_UNROLL(16) for (int j = 0; j < N; ++j) {
      const V r = hn::Set(d, t.inv_diag[j]);
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][j] = hn::Mul(c[m][j], r);
      HWY_UNROLL(16) for (int n = j + 1; n < N; ++n) {
        const V y = hn::Set(d, t.l[j * t.ldl + n]);
        HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][n] = hn::NegMulAdd(c[m][j], y, c[m][n]);
      }
    }
  }
};

/// Pointers to the functions of Tile<T, M, N> for all M and N.  First index: number M of vectors, 1
/// to kVectors.  Second index: number N of columns, 1 to kColumns.  Indices 0 are unused.  The
/// entry factor[M][N] is null where N > M * kLanes.
template <class T>
struct TileTable {
  static constexpr int kVectors = TileShape<T>::kVectors, kColumns = TileShape<T>::kColumns;
  using Update = void (*)(const TileSteps&, const T*, const T*, T*, Index);
  using Factor = bool (*)(const TileSteps&, const T*, const T*, T*, Index, const PivotPlace<T>&);
  using Solve = void (*)(const TileSteps&, const T*, const T*, T*, Index, const TriangleArgs<T>&);

  Update update_fresh[kVectors + 1][kColumns + 1] = {};
  Update update_add[kVectors + 1][kColumns + 1] = {};
  Factor factor[kVectors + 1][kColumns + 1] = {};
  Solve solve[kVectors + 1][kColumns + 1] = {};
  Solve solve_and_pack[kVectors + 1][kColumns + 1] = {};

  constexpr TileTable() { fill<1, 1>(); }

 private:
  template <int M, int N>
  constexpr void fill() {
    using Entry = Tile<T, M, N>;
    update_fresh[M][N] = &Entry::update_fresh;
    update_add[M][N] = &Entry::update_add;
    solve[M][N] = &Entry::solve;
    solve_and_pack[M][N] = &Entry::solve_and_pack;
    if constexpr (M * TileShape<T>::kLanes >= N) factor[M][N] = &Entry::factor;
    if constexpr (N < kColumns) {
      fill<M, N + 1>();
    } else if constexpr (M < kVectors) {
      fill<M + 1, 1>();
    }
  }
};

template <class T>
inline constexpr TileTable<T> kTiles{};

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
