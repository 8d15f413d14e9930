// Factors a front that stays in the L1 or L2 cache, without packing: operands are read in place and
// not copied.  This file is compiled once for each instruction set, by hwy/foreach_target.h.
//
// A register tile is a block of the front that one call computes in registers (tile-inl.hpp).  The
// call reads the operands of the tile column by column, and a panel is stored column by column.
// Therefore packing gains nothing while the front stays in these caches.
//
// First the panel is factored left-looking, kColumns columns at a time: each tile is loaded once,
// updated by all earlier columns of the panel, factored or solved in registers, and stored once.
// Then the update matrix is computed, kColumns columns at a time.  The kColumns columns always lie
// in the same block column of the update matrix, because kColumns divides kUpdateBlock
// (base/update_layout.hpp).
#if defined(CLCHOL_NUMERIC_DENSE_UNPACKED_FRONT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_UNPACKED_FRONT_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_UNPACKED_FRONT_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_UNPACKED_FRONT_INL_HPP
#endif

#include <algorithm>

#include "numeric/dense/front.hpp"
#include "numeric/dense/pivot.hpp"
#include "numeric/dense/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

/// The rows of one tile, divided into SIMD vectors of kLanes rows.
template <class T>
struct RowCut {
  Index rows;     // Number of rows of the tile.
  Index vectors;  // Number of vectors that hold the rows.
  Index last;     // Number of rows in the last vector, 1 to kLanes.
};

/// @return the division into vectors of a tile with `rows` rows.
template <class T>
HWY_INLINE RowCut<T> cut_of(Index rows) {
  constexpr Index kLanes = TileShape<T>::kLanes;
  const Index vectors = (rows + kLanes - 1) / kLanes;
  return {rows, vectors, rows - (vectors - 1) * kLanes};
}

/// Chooses the number of rows of the next tile.  A tile has kRows rows, but the last two tiles have
/// about equal numbers of rows: a last tile of a single vector would have too few independent
/// products to hide the latency of a product.
/// @param left  Number of rows, in the tile's columns, that are not computed yet.
/// @return the next tile's rows, divided into vectors.
template <class T>
HWY_INLINE RowCut<T> next_cut(Index left) {
  constexpr Index kLanes = TileShape<T>::kLanes, kRows = TileShape<T>::kRows;
  if (left <= kRows) return cut_of<T>(left);
  if (left >= 2 * kRows) return {kRows, TileShape<T>::kVectors, kLanes};
  const Index even = (left + 2 * kLanes - 1) / (2 * kLanes) * kLanes;
  return cut_of<T>(std::max<Index>(even, TileShape<T>::kColumns));
}

/// Finds the first bad pivot of a diagonal tile.  At least one pivot of the tile must be bad.
/// @param pivots        Pivots of the tile.  Length `count`.
/// @param first_column  Number, within the panel, of the tile's first column.
/// @return the number of the bad pivot's column within the panel, and the pivot.
template <class T>
HWY_INLINE PivotCheck<T> first_bad_pivot(const T* pivots, Index count, Index first_column) {
  Index j = 0;
  while (j + 1 < count && is_good_pivot(pivots[j])) ++j;
  return {first_column + j, pivots[j]};
}

/// Factors a panel in place: L11 := chol(A11), L21 := A21 L11^-T (front.hpp).
/// @param inv_diag  Receives 1 / L(j, j).  Length ncol.
/// @return the first bad pivot, if there is one.  After a bad pivot, the panel is undefined.
template <class T>
PivotCheck<T> factor_panel(T* panel, Offset ldp, Index nrow, Index ncol, T* inv_diag) {
  constexpr Index kColumns = TileShape<T>::kColumns;
  const TileTable<T>& tiles = kTiles<T>;
  for (Index j = 0; j < ncol; j += kColumns) {
    const Index width = std::min(kColumns, ncol - j);
    T* const top = panel + j + j * ldp;
    const TileSteps steps{ldp, ldp, ldp, j};
    const T* const left = panel + j;
    RowCut<T> cut = next_cut<T>(nrow - j);
    T pivots[kColumns];
    if (!tiles.factor[cut.vectors][width](steps, left, left, top, cut.last,
                                          {inv_diag + j, pivots})) {
      return first_bad_pivot(pivots, width, j);
    }
    const TriangleArgs<T> triangle{top, ldp, inv_diag + j, nullptr};
    for (Index i = cut.rows; i < nrow - j; i += cut.rows) {
      cut = next_cut<T>(nrow - j - i);
      tiles.solve[cut.vectors][width](steps, left + i, left, top + i, cut.last, triangle);
    }
  }
  return {};
}

/// Computes the lower half of the update matrix U: U := U - L21 L21' if `accumulate` is true,
/// otherwise U := -L21 L21'.
template <class T>
void update_from_panel(const FrontView<T>& front, bool accumulate) {
  constexpr Index kColumns = TileShape<T>::kColumns, kLanes = TileShape<T>::kLanes;
  const auto& tiles = accumulate ? kTiles<T>.update_add : kTiles<T>.update_fresh;
  const Index nupd = front.nupd();
  const T* const below = front.panel + front.ncol;
  for (Index j = 0; j < nupd; j += kColumns) {
    const Index width = std::min(kColumns, nupd - j);
    // Whole vectors are stored where possible.  The extra rows fall into the padding rows of U
    // (base/update_layout.hpp) and receive values that are never used.
    const Index padded = static_cast<Index>(padded_order(nupd)) - j;
    const Index rows = std::min(padded, (nupd - j + kLanes - 1) / kLanes * kLanes);
    const TileSteps steps{front.ldp, front.ldp, update_ld(nupd, j / kUpdateBlock), front.ncol};
    const T* const left = below + j;
    T* const column = front.update + update_column_offset(nupd, j) + j;
    RowCut<T> cut;
    for (Index i = 0; i < rows; i += cut.rows) {
      cut = next_cut<T>(rows - i);
      tiles[cut.vectors][width](steps, left + i, left, column + i, cut.last);
    }
  }
}

/// Implements FactorKernels::unpacked_front (numeric/dense/kernel_tables.hpp): factors the panel,
/// then computes the update matrix unless a pivot is bad.
/// @param accumulate  As for update_from_panel().
/// @param inv_diag    Receives 1 / L(j, j).  Length ncol.
/// @return the first bad pivot, if there is one.
template <class T>
PivotCheck<T> unpacked_front(const FrontView<T>& front, bool accumulate, T* inv_diag) {
  const PivotCheck<T> check =
      factor_panel(front.panel, front.ldp, front.nrow, front.ncol, inv_diag);
  if (check.column == kNone) update_from_panel(front, accumulate);
  return check;
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
