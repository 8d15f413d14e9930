// Table of function pointers to the factorization kernels of one instruction set, and the arguments
// of the kernels.
//
// The driver (factor_front.cpp) is compiled once, for the baseline instruction set.  The driver
// chooses block sizes, divides the work into tasks, and calls the kernels through the table.  The
// kernels (the *-inl.hpp files) are compiled once for each instruction set, and know neither tasks
// nor threads.  A kernel computes its result in *register tiles*, blocks that are accumulated in
// registers (tile-inl.hpp).  One kernel call computes many register tiles, which makes the time of
// a call through a pointer negligible.
//
// A large front is *packed*: it is factored right-looking by blocks of columns, and the operands of
// its products are copied into *slivers*.  A sliver holds h consecutive rows of an operand, column
// by column without gaps, where the *sliver height* h is the number of rows of a register tile.
// packed_front-inl.hpp has the formula for the offset of an entry.
#pragma once

#include "numeric/dense/front.hpp"

namespace clchol::numeric::dense {

/// Maximum number of columns of a block.  The factorization of a packed front eliminates one block
/// of columns at a time.  All blocks of a front but the first have the same width, a multiple of
/// the sliver height; the first block takes the remainder (factor_front.cpp).  This width is at
/// most kBlock, because kBlock is a multiple of the sliver height of every instruction set (4 to 48
/// rows).
/// Measured on Zen 3 for blocks of 192, 240 and 288 columns: in fronts of 2048 rows, 192 columns
/// are 1-3 % faster than the other two sizes; in fronts of 600 rows, the sizes are equally fast.
inline constexpr Index kBlock = 192;
/// Leading dimension of the copy of a diagonal block, in entries.  200 doubles are 1600 bytes, an
/// odd number (25) of cache lines of 64 bytes, so that the entries of a row spread over all cache
/// sets.
inline constexpr Offset kDiagonalLd = kBlock + 8;
/// Maximum of the sliver heights of all instruction sets: three vectors of 16 floats (512 bits).
inline constexpr Index kMaxSliverRows = 48;

/// Fronts with fewer than kLeastPackedRows rows are not packed, whatever the instruction set.  An
/// instruction set may have a larger bound (FactorKernels::packed_min_rows).
inline constexpr Index kLeastPackedRows = 256;

/// Arguments of FactorKernels::solve_rows, which computes L21 := A21 L11^-T for one block of
/// columns of the panel.  L11 is the factored diagonal block.  A21 consists of some consecutive
/// rows of the block below L11.  L21 overwrites A21 in the panel, and is also copied into slivers.
template <class T>
struct RowSolve {
  T* rows;            // Address of A21(0, 0) in the panel.
  Offset ld;          // Leading dimension of the panel, in entries.
  Index num_rows;     // Number of rows of A21.  Must be a multiple of the sliver height, unless
                      // A21 contains the last row of the front.
  Index width;        // Number of columns of A21 and of L11.
  const T* diagonal;  // L11, column-major, with leading dimension kDiagonalLd.
  const T* diagonal_packed;  // L11 in slivers.
  const T* inv_diag;         // 1 / L11(j,j) for each column j of L11.  Length width.
  T* slivers;                // Receives L21 in slivers: address of the sliver with row 0 of L21.
};

/// Arguments of FactorKernels::update_trailing, which updates the lower half of the trailing matrix
/// C after a block of columns has been eliminated:
///   C := C - B B'  or  C := -B B'.
/// C consists of the rows and columns of the front that come after the block.  B is L21 of the
/// block: it has the rows of C and the columns of the block.  The row and column numbers of this
/// struct are those of C.  Columns [0, panel_cols) of C are stored in the panel, later columns in
/// the update matrix.
template <class T>
struct TrailingUpdate {
  const T* slivers;  // B in slivers: num_rows rows, from row 0 on.
  Index depth;       // Number of columns of B.
  Index num_rows;    // Number of rows of C.
  T* panel;          // Address of C(0, 0) in the panel; unused when panel_cols is 0.
  Offset ldp;        // Leading dimension of the panel, in entries.
  /// Number of columns of C in the panel.  Must be a multiple of the sliver height.  The driver
  /// ensures this: all blocks of columns after the first block have the same width, which is a
  /// multiple of the sliver height, and C begins after a block.
  Index panel_cols;
  T* update;        // Address of the update matrix, stored as in base/update_layout.hpp.
  bool accumulate;  // For the columns in the update matrix: C := C - B B' if true, C := -B B' if
                    // false.  For the columns in the panel, always C := C - B B'.
  /// The call updates rows [row_begin, row_end) of columns [col_begin, col_end) of C, in the lower
  /// half.  row_begin and col_begin are multiples of the sliver height.
  Index row_begin, row_end, col_begin, col_end;
};

/// The factorization kernels of one instruction set, and sizes that depend on the instruction set.
template <class T>
struct FactorKernels {
  Index sliver_rows;  // Sliver height: number of rows of a register tile.
  // Fronts with fewer than packed_min_rows rows are not packed.  At least kLeastPackedRows.
  Index packed_min_rows;
  /// Factors a whole front without packing.  Parameters and result as for factor_front()
  /// (kernels.hpp).
  PivotCheck<T> (*unpacked_front)(const FrontView<T>& front, bool accumulate, T* inv_diag);
  /// Factors the diagonal block of one block of columns, D = L L'.  Only the lower triangle of D is
  /// read, and L overwrites it.
  /// @param block            D, described as a front without update matrix: nrow = ncol.
  /// @param inv_diag         receives 1 / L(j,j).  Length block.ncol.
  /// @param diagonal         receives a copy of L, with leading dimension kDiagonalLd.
  /// @param diagonal_packed  receives a copy of L in slivers.
  /// @return the first bad pivot.  If there is a bad pivot, D and the three output arrays are
  ///         undefined.
  PivotCheck<T> (*diagonal_block)(const FrontView<T>& block, T* inv_diag, T* diagonal,
                                  T* diagonal_packed);
  /// Computes L21 := A21 L11^-T (see RowSolve).
  void (*solve_rows)(const RowSolve<T>& solve);
  /// Computes C := C - B B' or C := -B B' (see TrailingUpdate).
  void (*update_trailing)(const TrailingUpdate<T>& update);
};

/// @return the table for the best instruction set that this processor supports and the kernels are
///         compiled for.  The table lives as long as the program.
template <class T>
const FactorKernels<T>& factor_kernels();

}  // namespace clchol::numeric::dense
