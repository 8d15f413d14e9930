// Tables of function pointers to the factorization kernels of each instruction set.
//
// The drivers (factor_front.cpp, solve_front.cpp) are compiled once, for the baseline instruction
// set.  They decide sizes, order and tasks.  The kernels (the *-inl.hpp files) are compiled once
// per instruction set and know neither tasks nor threads.  Each kernel call computes many register
// tiles, so that the call through a pointer costs nothing.
#pragma once

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Most columns that a packed front eliminates at a time.  A multiple of every instruction set's
/// sliver height (4 to 48 rows), so that blocks end where slivers end.  Measured on Zen 3 with 192,
/// 240 and 288 columns: 192 is 1-3 % faster for 2048 rows, and all are equal for 600 rows.
inline constexpr Index kBlock = 192;
/// Leading dimension of the copy of the diagonal block; not a power of two.
inline constexpr Offset kDiagonalLd = kBlock + 8;
/// Greatest sliver height of all instruction sets (float, 512 bits: three vectors of 16).
inline constexpr Index kMaxSliverRows = 48;

/// Rows of the smallest front that any instruction set packs.
inline constexpr Index kLeastPackedRows = 256;

/// Arguments of L21 := A21 L11^-T, for some rows below a factored diagonal block.  L21 overwrites
/// A21 and is packed into slivers at the same time.
template <class T>
struct RowSolve {
  T* rows;                   // First row of A21, column 0 of the block.
  Offset ld;                 // Leading dimension of the panel.
  Index num_rows;            // A multiple of the sliver height, except for a front's last rows.
  Index width;               // Columns of the block.
  const T* diagonal;         // L11, leading dimension kDiagonalLd.
  const T* diagonal_packed;  // L11 in slivers.
  const T* inv_diag;         // 1 / L(j,j).  Length width.
  T* slivers;                // Receives the slivers of these rows.
};

/// Arguments of C := C - B B' (or C := -B B'), for the lower part of columns [col_begin, col_end) x
/// rows [row_begin, row_end) of the trailing matrix C.  Row and column 0 of C follow the eliminated
/// block.  The first panel_cols columns of C are in the panel, the others in the update matrix.
template <class T>
struct TrailingUpdate {
  const T* slivers;  // B in slivers, with all rows of the trailing matrix.
  Index depth;       // Columns of B.
  Index num_rows;    // Rows of the trailing matrix.
  T* panel;          // Row 0, column 0 of the trailing matrix in the panel.
  Offset ldp;        // Leading dimension of the panel.
  Index panel_cols;  // Columns of C in the panel, a multiple of the sliver height.
  T* update;         // The update matrix.
  bool accumulate;   // Whether C := C - B B' in the update matrix.  The panel always accumulates.
  Index row_begin, row_end, col_begin, col_end;
};

/// Kernels of the factorization.
template <class T>
struct FactorKernels {
  Index sliver_rows;      // Rows of a register tile and of a sliver.
  Index packed_min_rows;  // Rows of the smallest front that is packed, at least kLeastPackedRows.
  /// Factors a whole front without packing.
  PivotCheck<T> (*unpacked_front)(const FrontView<T>& front, bool accumulate, T* inv_diag);
  /// Factors the ncol x ncol lower triangle of `block` in the copy `diagonal` (leading dimension
  /// kDiagonalLd), writes L back to the panel and packs L into the slivers `diagonal_packed`.
  PivotCheck<T> (*diagonal_block)(const FrontView<T>& block, T* inv_diag, T* diagonal,
                                  T* diagonal_packed);
  void (*solve_rows)(const RowSolve<T>& solve);
  void (*update_trailing)(const TrailingUpdate<T>& update);
};

/// The kernels of the instruction set in use.
template <class T>
const FactorKernels<T>& factor_kernels();

}  // namespace clchol::numeric::dense
