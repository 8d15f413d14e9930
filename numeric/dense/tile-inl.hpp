// The register tile: the kernels that compute a block C of a front in registers.  They do almost
// all flops of a factorization on the CPU.  Compiled once per instruction set, by
// hwy/foreach_target.h.
//
// The tile C has M vectors of rows and N columns.  In memory it is a block of a column-major
// matrix.  Every operation begins with
//
//   C := C - A B',   A and B with `depth` columns
//
//   A: one row for each row of C;     entry (i, k) is a[i + k * a_step]
//   B: one row for each column of C;  entry (j, k) is b[j + k * b_step]
//
// The operation `update` consists of this product alone.  `factor` then factors C, whose entry
// (0, 0) is on the front's diagonal.  `solve` then solves with the triangle of a factored tile
// above C.  C is loaded once and stored once.
//
// A and B lie in a panel or in packed slivers (packed_front-inl.hpp).  The two differ in a_step and
// b_step only, so that the tile serves for both.  The last vector of rows may hold fewer rows than
// lanes: it is loaded whole (see kReadSlack), and its first `last` lanes are stored.
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

/// Leading dimensions, in entries, and the depth of a product C - A B'.  All tiles that
/// consist of the same columns of the front have them in common.
struct TileSteps {
  Offset a_step;  // Leading dimension of A.
  Offset b_step;  // Leading dimension of B.
  Offset ldc;     // Leading dimension of C in memory.
  Offset depth;   // Number of columns of A and B.
};

/// The triangle L with which Tile::solve() computes C := C L^-T.
template <class T>
struct TriangleArgs {
  const T* l;         // L: N x N, lower triangle, column-major.
  Offset ldl;         // Leading dimension of L.
  const T* inv_diag;  // 1 / L(j, j).  Length N.
  T* packed;          // Address in a sliver where solve_and_pack() stores C; null for solve().
};

/// Arrays that receive the results of Tile::factor() beside L.
template <class T>
struct PivotPlace {
  T* inv_diag;  // Receives 1 / L(j, j) if all pivots are good.  Length N.
  T* pivots;    // Receives the pivots d(j) of factor() if one of them is bad.  Length N.
};

/// Operations on a tile of M vectors by N columns.  The arguments are few enough to be passed in
/// registers:
///   a, b, to   addresses of entry (0, 0) of A, of B, and of C
///   last       number of rows in the last vector, 1 to kLanes
template <class T, int M, int N>
class Tile {
 public:
  static constexpr int kLanes = TileShape<T>::kLanes;
  static constexpr int kSliverRows = TileShape<T>::kRows;
  static constexpr Tag<T> d{};
  using V = Vector<T>;

  /// C := -A B'.
  static HWY_NOINLINE void update_fresh(const TileSteps& s, const T* a, const T* b, T* to,
                                        Index last) {
    V c[M][N];
    HWY_UNROLL(16) for (int n = 0; n < N; ++n) {
      HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][n] = hn::Zero(d);
    }
    subtract_product(c, a, b, s);
    store(c, to, s.ldc, last);
  }

  /// C := C - A B'.
  static HWY_NOINLINE void update_add(const TileSteps& s, const T* a, const T* b, T* to,
                                      Index last) {
    V c[M][N];
    load(c, to, s.ldc);
    subtract_product(c, a, b, s);
    store(c, to, s.ldc, last);
  }

  /// C := C - A B', then C := [L; C2 L^-T], where C = [C1; C2] and C1 = L L' is N x N.
  /// @return whether all pivots are good (is_good_pivot()).  If not, C in memory is unchanged, and
  ///         place.pivots holds the pivots.
  ///
  /// The elimination is square-root free (LDL'), so that no root is on the critical path.  Pivot
  /// d(j+1) is computed from broadcast values before the vectors of column j + 1 are ready:
  ///   d(j+1) = c(j+1,j+1) - c(j+1,j)^2 / d(j)       one division and one product per column.
  /// The reciprocals 1 / d(j) are collected in vectors.  At the end the square roots of whole
  /// vectors are taken, and the columns are scaled.
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

  /// C := (C - A B') L^-T, where L is the N x N triangle t.l.
  static HWY_NOINLINE void solve(const TileSteps& s, const T* a, const T* b, T* to, Index last,
                                 const TriangleArgs<T>& t) {
    V c[M][N];
    load(c, to, s.ldc);
    subtract_product(c, a, b, s);
    substitute(c, t);
    store(c, to, s.ldc, last);
  }

  /// C := (C - A B') L^-T as solve() does.  Stores C a second time at t.packed, as M * kLanes rows
  /// with leading dimension kSliverRows.
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

  /// c := c - A B'.
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

  /// Number of vectors that hold one value for each of the N columns.
  static constexpr int kPivotVectors = (N + kLanes - 1) / kLanes;

  /// Eliminates columns J to N - 1 of c.  c(j,j) becomes d(j).
  /// @param reciprocals  Receives 1 / d(j) for these columns.
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

  /// @return whether all values 1 / sqrt(d(j)) in `root` are positive and finite.  Equivalent:
  ///         is_good_pivot() holds for all pivots.
  static HWY_INLINE bool all_good(const V (&root)[kPivotVectors]) {
    bool good = true;
    HWY_UNROLL(16) for (int q = 0; q < kPivotVectors; ++q) {
      good = good &&
             hn::AllTrue(d, hn::And(hn::Gt(root[q], hn::Zero(d)), hn::Lt(root[q], hn::Inf(d))));
    }
    return good;
  }

  /// c(:,j) := c(:,j) / sqrt(d(j)) for columns J to N - 1.
  /// @param root  1 / sqrt(d(j)) for each column j.
  template <int J>
  static HWY_INLINE void scale_columns(V (&c)[M][N], const V (&root)[kPivotVectors]) {
    const V r = broadcast_lane<J % kLanes, T>(root[J / kLanes]);
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][J] = hn::Mul(c[m][J], r);
    if constexpr (J + 1 < N) scale_columns<J + 1>(c, root);
  }

  /// c(:,n) := c(:,n) - c(:,J) c(n,J) / d(J) for columns n = N0 to N - 1.
  /// @param scaled  c(:,J) / d(J).
  template <int J, int N0>
  static HWY_INLINE void subtract_column(V (&c)[M][N], const V (&scaled)[M]) {
    const V y = broadcast_lane<N0 % kLanes, T>(c[N0 / kLanes][J]);
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][N0] = hn::NegMulAdd(scaled[m], y, c[m][N0]);
    if constexpr (N0 + 1 < N) subtract_column<J, N0 + 1>(c, scaled);
  }

  /// c := c L^-T, where L is the triangle t.l.
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

/// Pointers to the tile operations of one scalar type.  First index: number M of vectors; second
/// index: number N of columns.  Index 0 is unused.  `factor` is null where N exceeds the M * kLanes
/// rows.
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
