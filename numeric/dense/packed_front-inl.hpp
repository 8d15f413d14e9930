// Kernels for the factorization of a large front, right-looking by blocks of columns, with packed
// operands (numeric/dense/kernel_tables.hpp).  This file is included once per instruction set.
//
// A packed operand of `depth` columns consists of slivers.  A sliver has kRows rows and `depth`
// columns, and is column-major:
//
//   entry (i, k) is at offset  (i / kRows) * kRows * depth + k * kRows + i % kRows.
//
// The left and the right operand of a product have the same format.  A register tile reads kRows
// rows of the left operand and kColumns rows of the right operand (simd-inl.hpp).  kRows is a
// multiple of kColumns, so that the kColumns rows of the right operand are in one sliver.
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

/// @return offset, in entries, of entry (i, 0) in a packed operand of `depth` columns.
template <class T>
HWY_INLINE Offset sliver_offset(Index i, Index depth) {
  constexpr Index kRows = TileShape<T>::kRows;
  return Offset{i / kRows} * kRows * depth + i % kRows;
}

/// Implements FactorKernels::diagonal_block.
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

/// Implements FactorKernels::solve_rows.
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

/// Column j of the trailing matrix C, which is in the panel or in the update matrix.
template <class T>
struct TrailingColumn {
  T* column;  // C(i, j) is column[i], for rows i that are stored.
  Offset ld;  // C(i, j + 1) is column[i + ld], when it is in the same block of kColumns columns.
  bool accumulate;  // true: the kernel subtracts B B' from C; false: it overwrites C by -B B'.
};

/// @return column j of the trailing matrix of u.
template <class T>
HWY_INLINE TrailingColumn<T> trailing_column(const TrailingUpdate<T>& u, Index j) {
  if (j < u.panel_cols) return {u.panel + j * u.ldp, u.ldp, true};
  const Index nupd = u.num_rows - u.panel_cols;
  const Index ju = j - u.panel_cols;
  return {u.update - u.panel_cols + update_column_offset(nupd, ju),
          update_ld(nupd, ju / kUpdateBlock), u.accumulate};
}

/// Implements FactorKernels::update_trailing.  The outer loop is over blocks of kColumns columns of
/// C, the inner loop over slivers of rows.  The right operand of one block of columns stays in the
/// L1 cache; the slivers of all rows of the call stay in the L2 cache.
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
      // The update matrix does not store all rows above row j, so the first tile begins at row j.
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
