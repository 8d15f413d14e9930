// What each instruction set provides to the drivers: coarse kernels behind function pointers.
//
// The drivers (factor_front.cpp, solve_front.cpp) are compiled once, for the baseline; they decide
// sizes, order and tasks.  The kernels (the *-inl.hpp files) are compiled once per instruction set
// and know neither tasks nor threads.  Each kernel call is many register tiles long, so that the
// call through a pointer costs nothing.
#pragma once

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Greatest number of columns that a packed front eliminates at once, and the leading dimension of
/// its diagonal block.  A multiple of every instruction set's sliver height (4 to 48 rows), so that
/// blocks end where slivers end; the leading dimension is no power of two.  Measured on Zen 3: of
/// 192, 240 and 288 the first is 1-3 % faster for 2048 rows, and all are equal for 600.
inline constexpr Index kBlock = 192;
inline constexpr Offset kDiagonalLd = kBlock + 8;
/// Greatest sliver height of all instruction sets (float, 512 bits: three vectors of 16).
inline constexpr Index kMaxSliverRows = 48;

/// Smallest front that any instruction set packs.
inline constexpr Index kLeastPackedRows = 256;

/// Rows below a factored diagonal block of `width` columns: L21 := A21 L11^-T, stored in place and
/// packed into slivers at the same time.
template <class T>
struct RowSolve {
  T* rows;  // First of the rows, column 0 of the block; leading dimension ld.
  Offset ld;
  Index num_rows;  // A multiple of the sliver height, except in the last piece of a front.
  Index width;
  const T* diagonal;  // L11, leading dimension kDiagonalLd.
  const T* diagonal_packed;
  const T* inv_diag;
  T* slivers;  // Where the first of these rows goes.
};

/// Columns [col_begin, col_end) x rows [row_begin, row_end), lower part only, of the trailing
/// matrix C := C - B B' (or C := -B B').  Row and column 0 is the first behind the eliminated
/// block; the first panel_cols columns lie in the panel, the others in the update matrix.
template <class T>
struct TrailingUpdate {
  const T* slivers;  // B: all rows of the trailing matrix, packed.
  Index depth;       // Columns of B.
  Index num_rows;    // Rows of the trailing matrix.
  T* panel;          // Row 0, column 0 of the trailing matrix in the panel.
  Offset ldp;
  Index panel_cols;  // A multiple of the sliver height.
  T* update;
  bool accumulate;  // Of the update matrix; the panel always accumulates.
  Index row_begin, row_end, col_begin, col_end;
};

/// Kernels of the factorization.
template <class T>
struct FactorKernels {
  Index sliver_rows;      // Rows of a register tile, and of a packed sliver.
  Index packed_min_rows;  // Smallest front that is packed, at least kLeastPackedRows.
  /// A whole front without packing.
  PivotCheck<T> (*unpacked_front)(const FrontView<T>& front, bool accumulate, T* inv_diag);
  /// Factors the width x width lower triangle at `block` through `diagonal` (leading dimension
  /// kDiagonalLd), writes L back and packs it into slivers.
  PivotCheck<T> (*diagonal_block)(const FrontView<T>& block, T* inv_diag, T* diagonal,
                                  T* diagonal_packed);
  void (*solve_rows)(const RowSolve<T>& solve);
  void (*update_trailing)(const TrailingUpdate<T>& update);
};

/// The kernels of the instruction set in use.
template <class T>
const FactorKernels<T>& factor_kernels();

}  // namespace clchol::numeric::dense
