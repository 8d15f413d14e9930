// One step of the factorization of panels, many in one launch: the next BLOCK columns J of each
// panel A, in place,
//
//   A(J, J) = L(J, J) * L(J, J)',    L(R, J) := A(R, J) * L(J, J)^-T   for the rows R below
//
// The products with all columns left of J must have been subtracted before (dense/gemm.cl).
//
//   operand   shape          storage                              access
//   A         nrow x ncol    column-major, ld >= nrow, lower      read and written
//   blocks    fronts * 2     workspace: BLOCK x BLOCK, ld BLOCK   written, read by the next step
//   status    fronts         list of PivotStatus                  read; written at a failure
//   tiles     work-groups    list of PanelTile                    read
//   fronts                   list of FrontPanel                   read
//
// Work-groups of BLOCK + ROWS work-items.  Every work-group factors the diagonal block for itself
// and solves for ROWS rows below the block, so that no work-group waits for another.  Its first
// BLOCK work-items hold the rows of the diagonal block.  L(J, J) is written to `blocks` instead of
// A, because other work-groups may still read A(J, J); the step's parity chooses one of the front's
// two blocks.  The next step copies the block to A.  A front whose columns are all done gets one
// more tile for this copy, with column = ncol.
//
// A pivot that fails (is_good_pivot) is written to the front's status.  The pivot's block and the
// columns right of it then hold undefined values, which are finite where A is finite, and later
// steps skip the front.  Entries above the diagonal are neither read nor written.
// Local memory: BLOCK * BLOCK + STEP * STEP values.
#include "runtime/common.cl"

#include "dense/dense_args.h"
#include "dense/pivot_status.h"
#include "dense/pivot.cl"
#include "dense/row_solve.cl"

#ifndef ROWS
#define ROWS 64  // Rows below the diagonal block that a work-group solves for.
#endif
#define PANEL_GROUP (BLOCK + ROWS)

// Eliminates column c of the block; c is a constant.  The column of a failed pivot becomes zero.
// *failed gets the first failed pivot.
// @param begin  column of the front that is column 0 of the block.
INLINE void eliminate(StepBlock* block, const int c, int begin, PivotStatus* failed) {
  const real pivot = block->l[c][c];
  const bool good = is_good_pivot(pivot);
  if (!good && failed->column < 0) {
    failed->column = begin + c;
    failed->value = pivot;
  }
  const real reciprocal = good ? rsqrt(pivot) : 0;
  block->reciprocal[c] = reciprocal;
#pragma unroll
  for (int j = 0; j < STEP; ++j) {
    if (j >= c) block->l[j][c] *= reciprocal;
  }
#pragma unroll
  for (int j = 0; j < STEP; ++j) {
#pragma unroll
    for (int i = 0; i < STEP; ++i) {
      if (j > c && i >= j) block->l[i][j] -= block->l[i][c] * block->l[j][c];
    }
  }
}

// Factors the block whose lower triangle is `a` [column][row].  Columns from `width` on become
// columns of the identity.  Every work-item computes the whole block.
INLINE void factor_block(StepBlock* block, __local const real* a, int width, int begin,
                         PivotStatus* failed) {
#pragma unroll
  for (int j = 0; j < STEP; ++j) {
#pragma unroll
    for (int c = 0; c < STEP; ++c) {
      if (c <= j) block->l[j][c] = j < width ? a[c * STEP + j] : (real)(j == c);
    }
  }
  // Not a loop: compilers keep the block in registers only when c is a constant from the start.
  eliminate(block, 0, begin, failed);
  eliminate(block, 1, begin, failed);
  eliminate(block, 2, begin, failed);
  eliminate(block, 3, begin, failed);
  eliminate(block, 4, begin, failed);
  eliminate(block, 5, begin, failed);
  eliminate(block, 6, begin, failed);
  eliminate(block, 7, begin, failed);
}

// Copies L(J, J) of the step before `column` from the workspace to the panel.
INLINE void put_back(__global real* A, const FrontPanel* front, __global const real* blocks,
                     Index column) {
  const Index begin = (column - 1) / BLOCK * BLOCK, width = column - begin;
  for (int p = get_local_id(0); p < BLOCK * BLOCK; p += PANEL_GROUP) {
    const int r = p % BLOCK, c = p / BLOCK;
    if (r < width && c <= r) A[begin + r + (begin + c) * front->ld] = blocks[p];
  }
}

// Loads columns [begin, begin + STEP) of a row that has `columns` columns; zeros past the last.
INLINE void load_step(real* entries, __global const real* row, Offset ld, int begin, int columns) {
#pragma unroll
  for (int j = 0; j < STEP; ++j) {
    entries[j] = begin + j < columns ? row[(begin + j) * ld] : 0;
  }
}

__kernel WORK_GROUP(PANEL_GROUP) void factor_panel(
    __global const PanelTile* tiles, Offset tiles_offset, __global const FrontPanel* fronts,
    Offset fronts_offset, __global real* panels, Offset panels_offset, __global real* blocks,
    Offset blocks_offset, __global PivotStatus* status, Offset status_offset) {
  LOCAL_TRIANGLE(L);
  __local real diagonal[STEP * STEP];
  const PanelTile tile = tiles[tiles_offset + get_group_id(0)];
  const FrontPanel front = fronts[fronts_offset + tile.front];
  __global PivotStatus* front_status = status + status_offset + tile.front;
  // A work-group of this launch that finds a failed pivot writes a column >= tile.column.
  const bool live = (uint)front_status->column >= (uint)tile.column;
  __global real* A = panels + panels_offset + front.panel;
  __global real* my_blocks = blocks + blocks_offset + (Offset)tile.front * (2 * BLOCK * BLOCK);
  const int parity = tile.column / BLOCK % 2;
  // In the tile that only copies a block back, column need not be a multiple of BLOCK.
  if (live && tile.first && tile.column > 0) {
    const int last = (tile.column - 1) / BLOCK % 2;
    put_back(A, &front, my_blocks + last * (BLOCK * BLOCK), tile.column);
  }

  const int width = live ? min(front.ncol - tile.column, BLOCK) : 0;
  const int l = get_local_id(0);
  const bool in_block = l < BLOCK;
  const Index row = in_block ? tile.column + l : tile.row + l - BLOCK;
  const bool mine = in_block ? l < width : row < front.nrow;
  __global real* my_row = A + row + tile.column * front.ld;
  // Columns of this row that are read: in the diagonal block only up to the diagonal.
  const int columns = !mine ? 0 : in_block ? l + 1 : width;
  PivotStatus failed = {-1, -1, 0};
  real x[BLOCK], entries[STEP];
  load_step(entries, my_row, front.ld, 0, columns);
  for (int begin = 0; begin < width; begin += STEP) {
    const real8 a = subtract_solved(GATHERED8(entries), x, L, begin);
    // Loads the entries of the next step while this step is factored.
    load_step(entries, my_row, front.ld, begin + STEP, columns);
    if (in_block && l >= begin && l < begin + STEP) {
      real column[STEP];
      SCATTER8(a, column);
#pragma unroll
      for (int j = 0; j < STEP; ++j) diagonal[j * STEP + l - begin] = column[j];
    }
    LOCAL_BARRIER();
    StepBlock block;
    factor_block(&block, diagonal, width - begin, tile.column + begin, &failed);
    solve_step(x + begin, a, &block);
#pragma unroll
    for (int j = 0; j < STEP; ++j) {
      const int c = begin + j;
      // Two separate conditions: PoCL 5 cannot compile if-else before a barrier.
      if (in_block && l >= c) L[c * BLOCK + l] = x[c];
      if (!in_block && mine && c < width && failed.column < 0) my_row[c * front.ld] = x[c];
    }
    LOCAL_BARRIER();
  }

  if (tile.first && width > 0) {
    if (failed.column >= 0) {
      if (l == 0) *front_status = failed;
    } else if (in_block) {
      __global real* to = my_blocks + parity * (BLOCK * BLOCK) + l;
      for (int c = 0; c <= l; ++c) to[c * BLOCK] = x[c];
    }
  }
}
