// Included once per instruction set: the register tile, which does the flops of a front.
//
// A tile is M vectors of rows by N columns of a column-major matrix C, held in registers.  Every
// operation begins with
//
//   C := C - A B'   over `depth` columns of A and B
//
//   A: the rows of the tile, contiguous within a column; distance a_step between columns
//   B: one row for each column of the tile; distance b_step between columns
//
// An update ends here.  A diagonal tile is then factored in registers, and a tile below a diagonal
// tile is solved in registers.  C is loaded and stored once.
//
// Panels and packed slivers differ only in a_step and b_step, so the tile serves for panels and for
// slivers.  The last vector of rows may hold fewer rows than lanes: it is loaded whole (see
// kReadSlack), and its first `last` lanes are stored.
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

/// Distances, in entries, and the depth that all tiles of the same columns have in common.
struct TileSteps {
  Offset a_step;  // Distance between columns of A.
  Offset b_step;  // Distance between columns of B.
  Offset ldc;     // Leading dimension of C.
  Offset depth;   // Number of columns of A and B.
};

/// The triangle with which a tile below a diagonal tile is solved.
template <class T>
struct TriangleArgs {
  const T* l;         // The N x N triangle, column-major.
  Offset ldl;         // Leading dimension of the triangle.
  const T* inv_diag;  // 1 / L(j, j).  Length N.
  T* packed;          // Address in the sliver of the tile's first column; null without packing.
};

/// Receives the results of a diagonal tile, beside L.
template <class T>
struct PivotPlace {
  T* inv_diag;  // Receives 1 / L(j, j).  Length N.
  T* pivots;    // Receives the pivots, only when one of them is bad.  Length N.
};

/// Operations of one tile.  The arguments are few enough to be passed in registers.
///   a, b, to   addresses of A, B and C        last   rows in the last vector, 1 .. lanes
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

  /// C := C - A B', then factors the first N rows of C and solves the others.  Row 0 of the tile is
  /// the row of the first column's diagonal entry.
  /// @return false when a pivot is bad; the values of the pivots are then in place.pivots.
  ///
  /// The elimination computes LDL', so that no root is on the critical path.  Each next pivot is
  /// formed from broadcast values before the column's vectors are ready:
  ///   d(j+1) = c(j+1,j+1) - c(j+1,j)^2 / d(j)       one division and one product per column.
  /// The reciprocals are gathered in vectors, and the roots of whole vectors are taken at the end.
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

  /// C := (C - A B') L^-T for the N x N triangle L.
  static HWY_NOINLINE void solve(const TileSteps& s, const T* a, const T* b, T* to, Index last,
                                 const TriangleArgs<T>& t) {
    V c[M][N];
    load(c, to, s.ldc);
    subtract_product(c, a, b, s);
    substitute(c, t);
    store(c, to, s.ldc, last);
  }

  /// solve(), and copies the result into its sliver.
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

  /// Vectors that hold one value for each of the N columns.
  static constexpr int kPivotVectors = (N + kLanes - 1) / kLanes;

  /// Eliminates column J and the following columns.
  /// @param pivot  d(J) in every lane.
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

  /// Whether all roots of reciprocals are in (0, inf).  That is so exactly when is_good_pivot()
  /// holds for all pivots.
  static HWY_INLINE bool all_good(const V (&root)[kPivotVectors]) {
    bool good = true;
    HWY_UNROLL(16) for (int q = 0; q < kPivotVectors; ++q) {
      good = good &&
             hn::AllTrue(d, hn::And(hn::Gt(root[q], hn::Zero(d)), hn::Lt(root[q], hn::Inf(d))));
    }
    return good;
  }

  /// L(:,J) = c(:,J) / sqrt(d(J)) for every column from J on.
  template <int J>
  static HWY_INLINE void scale_columns(V (&c)[M][N], const V (&root)[kPivotVectors]) {
    const V r = broadcast_lane<J % kLanes, T>(root[J / kLanes]);
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][J] = hn::Mul(c[m][J], r);
    if constexpr (J + 1 < N) scale_columns<J + 1>(c, root);
  }

  /// c(:,n) -= c(:,J) c(n,J) / d(J) for every column n >= N0.
  template <int J, int N0>
  static HWY_INLINE void subtract_column(V (&c)[M][N], const V (&scaled)[M]) {
    const V y = broadcast_lane<N0 % kLanes, T>(c[N0 / kLanes][J]);
    HWY_UNROLL(16) for (int m = 0; m < M; ++m) c[m][N0] = hn::NegMulAdd(scaled[m], y, c[m][N0]);
    if constexpr (N0 + 1 < N) subtract_column<J, N0 + 1>(c, scaled);
  }

  /// C := C L^-T.
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

/// The tile operations of one scalar type, indexed by number of vectors and number of columns.
/// Index 0 is unused.
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
