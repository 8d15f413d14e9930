// Table of function pointers to the factorization kernels of one instruction set, and the arguments
// of the kernels.
//
// The driver (factor_front.cpp) is compiled once, for the baseline instruction set.  It chooses
// block sizes, and divides the work into tasks.  The kernels (the *-inl.hpp files) are compiled
// once for each instruction set, and know neither tasks nor threads.  One kernel call computes many
// register tiles, so that the time of a call through a pointer is negligible.
//
// A large front is packed: it is factored right-looking by blocks of columns, and its operands are
// copied into *slivers*.  A sliver holds as many consecutive rows of an operand as a register tile
// has (the *sliver height*), column by column without gaps; packed_front-inl.hpp has the formula.
#pragma once

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Maximum width of a block of columns that a packed front eliminates at a time.  A multiple of the
/// sliver height of every instruction set (4 to 48 rows), so that blocks end where slivers end.
/// Measured on Zen 3 for 192, 240 and 288 columns: with 2048 rows 192 columns are 1-3 % faster,
/// with 600 rows there is no difference.
inline constexpr Index kBlock = 192;
/// Leading dimension of the copy of a diagonal block, in entries; not a power of two.
inline constexpr Offset kDiagonalLd = kBlock + 8;
/// Maximum sliver height of all instruction sets: three vectors of 16 floats (512 bits).
inline constexpr Index kMaxSliverRows = 48;

/// Least number of rows of a front that is packed, for any instruction set.
inline constexpr Index kLeastPackedRows = 256;

/// Arguments of L21 := A21 L11^-T, for consecutive rows of A21 below the factored diagonal block
/// L11.  L21 overwrites A21 in the panel and is also copied into slivers.
template <class T>
struct RowSolve {
  T* rows;                   // Address of the first row's entry in the first column of the block.
  Offset ld;                 // Leading dimension of the panel, in entries.
  Index num_rows;            // Number of rows to solve: a multiple of the sliver height, except for
                             // the last rows of a front.
  Index width;               // Number of columns of the block.
  const T* diagonal;         // L11, column-major, leading dimension kDiagonalLd.
  const T* diagonal_packed;  // L11 in slivers.
  const T* inv_diag;         // 1 / L(j,j) of the block's columns.  Length width.
  T* slivers;                // Receives L21 of the solved rows, in slivers.
};

/// Arguments of the update of the trailing matrix C by an eliminated block of columns:
///   C := C - B B'  or  C := -B B',  lower half only.
/// C has the rows and columns of the front behind the block.  B has the rows of C and the columns
/// of the block.  Row and column numbers below are counted in C.  Columns [0, panel_cols) of C are
/// in the panel, later columns are in the update matrix.
template <class T>
struct TrailingUpdate {
  const T* slivers;  // B in slivers: all rows of C.
  Index depth;       // Number of columns of B.
  Index num_rows;    // Number of rows of C.
  T* panel;          // Address of C(0, 0) in the panel; unused when panel_cols is 0.
  Offset ldp;        // Leading dimension of the panel, in entries.
  Index panel_cols;  // Number of columns of C in the panel, a multiple of the sliver height.
  T* update;         // Address of the update matrix, stored as in base/update_layout.hpp.
  bool accumulate;   // Update matrix: C := C - B B' if true, C := -B B' if false.  In the panel the
                     // kernel always computes C := C - B B'.
  Index row_begin, row_end, col_begin, col_end;  // Rows and columns of C that the call updates.
};

/// Kernels of the factorization, and the sizes that belong to them.
template <class T>
struct FactorKernels {
  Index sliver_rows;      // Sliver height: rows of a register tile.
  Index packed_min_rows;  // Least number of rows of a front that is packed; >= kLeastPackedRows.
  /// Factors a whole front without packing.  Parameters and result as for factor_front().
  PivotCheck<T> (*unpacked_front)(const FrontView<T>& front, bool accumulate, T* inv_diag);
  /// Factors a diagonal block.  Only its lower triangle is read, and the factor L overwrites it.
  /// @param block            the diagonal block as a front without update matrix: nrow = ncol.
  /// @param inv_diag         receives 1 / L(j,j).  Length ncol.
  /// @param diagonal         receives L, with leading dimension kDiagonalLd.
  /// @param diagonal_packed  receives L in slivers.
  /// @return the first bad pivot.  After a bad pivot the block and all outputs are undefined.
  PivotCheck<T> (*diagonal_block)(const FrontView<T>& block, T* inv_diag, T* diagonal,
                                  T* diagonal_packed);
  void (*solve_rows)(const RowSolve<T>& solve);              // L21 := A21 L11^-T.
  void (*update_trailing)(const TrailingUpdate<T>& update);  // C := C - B B' or C := -B B'.
};

/// @return the kernels for the best instruction set of this processor.
template <class T>
const FactorKernels<T>& factor_kernels();

}  // namespace clchol::numeric::dense
