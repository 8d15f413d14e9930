// Kernels for packed fronts: large fronts that are factored right-looking by blocks of columns, and
// whose operands are copied into slivers (numeric/dense/kernel_tables.hpp).  This file is compiled
// once for each instruction set.
//
// A packed operand of `depth` columns consists of slivers.  A sliver has kRows rows and `depth`
// columns, and is column-major with leading dimension kRows.  kRows is TileShape::kRows
// (simd-inl.hpp).  Offset of the operand's entry (i, k), in entries:
//
//   (i / kRows) * kRows * depth + k * kRows + i % kRows
//
// A product is C - A B'.  The left operand A and the right operand B have the same format.  A
// register tile of kRows x kColumns entries of C needs kRows rows of A and kColumns rows of B.
// kRows is a multiple of kColumns, so that the kColumns rows of B are in one sliver.
#if defined(CLCHOL_NUMERIC_DENSE_PACKED_FRONT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_PACKED_FRONT_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_PACKED_FRONT_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_PACKED_FRONT_INL_HPP
#endif

#include <algorithm>

#include "numeric/dense/kernel_tables.hpp"
#include "numeric/dense/unpacked_front-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

/// @return the offset of entry (i, 0) in a packed operand of `depth` columns, in entries.
template <class T>
HWY_INLINE Offset sliver_offset(Index i, Index depth) {
  constexpr Index kRows = TileShape<T>::kRows;
  return Offset{i / kRows} * kRows * depth + i % kRows;
}

/// Implements FactorKernels::diagonal_block (numeric/dense/kernel_tables.hpp).
template <class T>
PivotCheck<T> diagonal_block(const FrontView<T>& block, T* inv_diag, T* diagonal,
                             T* diagonal_packed) {
  constexpr Index kRows = TileShape<T>::kRows;
  const Index width = block.ncol;
  for (Index j = 0; j < width; ++j) {
    const T* const from = block.panel + j * block.ldp;
    std::copy(from + j, from + width, diagonal + j * kDiagonalLd + j);
  }
  const PivotCheck<T> check = factor_panel(diagonal, kDiagonalLd, width, width, inv_diag);
  if (check.column != kNone) return check;
  for (Index j = 0; j < width; ++j) {
    const T* const from = diagonal + j * kDiagonalLd;
    std::copy(from + j, from + width, block.panel + j * block.ldp + j);
  }
  for (Index i = 0; i < width; i += kRows) {
    T* const sliver = diagonal_packed + sliver_offset<T>(i, width);
    for (Index k = 0; k < std::min(i + kRows, width); ++k) {
      const T* const from = diagonal + k * kDiagonalLd + i;
      std::copy(from, from + std::min(kRows, width - i), sliver + k * kRows);
    }
  }
  return check;
}

/// Implements FactorKernels::solve_rows (numeric/dense/kernel_tables.hpp).
template <class T>
void solve_rows(const RowSolve<T>& s) {
  constexpr Index kRows = TileShape<T>::kRows, kColumns = TileShape<T>::kColumns;
  const TileTable<T>& tiles = kTiles<T>;
  for (Index i = 0; i < s.num_rows; i += kRows) {
    const RowCut<T> cut = cut_of<T>(std::min(kRows, s.num_rows - i));
    T* const sliver = s.slivers + sliver_offset<T>(i, s.width);
    for (Index j = 0; j < s.width; j += kColumns) {
      const TileSteps steps{kRows, kRows, s.ld, j};
      const TriangleArgs<T> triangle{s.diagonal + j + j * kDiagonalLd, kDiagonalLd, s.inv_diag + j,
                                     sliver + Offset{j} * kRows};
      tiles.solve_and_pack[cut.vectors][std::min(kColumns, s.width - j)](
          steps, sliver, s.diagonal_packed + sliver_offset<T>(j, s.width), s.rows + i + j * s.ld,
          cut.last, triangle);
    }
  }
}

/// Where column j of the trailing matrix C is stored, which is in the panel or in the update
/// matrix, and how the kernel updates it.
template <class T>
struct TrailingColumn {
  T* column;  // The entry C(i, j) is column[i], for all rows i that are stored.
  Offset ld;  // Leading dimension of C, valid for the kColumns columns from column j on.
  /// True: C := C - B B', where B (TrailingUpdate::slivers) is both the left and the right operand.
  /// False: C := -B B'.
  bool accumulate;
};

/// @return column j of the trailing matrix C that `u` describes.
/// @param j  a multiple of kColumns.
template <class T>
HWY_INLINE TrailingColumn<T> trailing_column(const TrailingUpdate<T>& u, Index j) {
  if (j < u.panel_cols) return {u.panel + j * u.ldp, u.ldp, true};
  const Index nupd = u.num_rows - u.panel_cols;
  const Index ju = j - u.panel_cols;
  return {u.update - u.panel_cols + update_column_offset(nupd, ju),
          update_ld(nupd, ju / kUpdateBlock), u.accumulate};
}

/// Implements FactorKernels::update_trailing (numeric/dense/kernel_tables.hpp).  The outer loop
/// goes through C by kColumns columns, the inner loop through the slivers of rows.  During the
/// inner loop the kColumns rows of the right operand stay in the L1 cache.  During the whole call
/// the slivers of the left operand stay in the L2 cache.
template <class T>
void update_trailing(const TrailingUpdate<T>& u) {
  constexpr Index kRows = TileShape<T>::kRows, kColumns = TileShape<T>::kColumns;
  for (Index j = u.col_begin; j < u.col_end; j += kColumns) {
    const Index width = std::min(kColumns, u.col_end - j);
    const TrailingColumn<T> to = trailing_column(u, j);
    const auto& tiles = to.accumulate ? kTiles<T>.update_add : kTiles<T>.update_fresh;
    const TileSteps steps{kRows, kRows, to.ld, u.depth};
    const T* const b = u.slivers + sliver_offset<T>(j, u.depth);
    for (Index sliver = std::max(u.row_begin, j / kRows * kRows); sliver < u.row_end;
         sliver += kRows) {
      // The first tile begins at row j, not at the beginning of the sliver: rows of the sliver
      // above row j may lie above their block column of the update matrix and then are not stored
      // (base/update_layout.hpp).
      const Index i = std::max(sliver, j);
      const RowCut<T> cut = cut_of<T>(std::min(sliver + kRows, u.row_end) - i);
      if (cut.rows <= 0) continue;
      tiles[cut.vectors][width](steps, u.slivers + sliver_offset<T>(i, u.depth), b, to.column + i,
                                cut.last);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
