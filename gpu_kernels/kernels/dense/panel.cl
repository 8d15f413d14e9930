// A step of factoring panels, many at once: the next BLOCK columns J of each panel A, in place,
//
//   A(J, J) = L(J, J) * L(J, J)',    L(R, J) := A(R, J) * L(J, J)^-T   for the rows R below
//
// after all columns left of J were subtracted (kernels/dense/gemm.cl).
//
//   operand   shape          storage                              access
//   A         nrow x ncol    column-major, ld >= nrow, lower      read and written
//   blocks    fronts * 2     BLOCK x BLOCK, ld BLOCK: workspace   written, then read
//   status    fronts         list of PivotStatus                  read; written at a failure
//   tiles     work-groups    list of PanelTile                    read
//   fronts                   list of FrontPanel                   read
//
// Work-groups of BLOCK + ROWS work-items: every group factors the diagonal block for itself, its
// first BLOCK work-items holding the block's rows, and solves for ROWS rows below it.  So nothing
// waits for another group.  L(J, J) goes to `blocks` (the step's parity chooses the half), for
// other groups may still read A(J, J); the next step puts it into A.  A front whose columns are all
// done gets one more tile, with column = ncol, for that.
//
// A pivot that fails (is_good_pivot) is written to the front's status; its block and the columns
// right of it hold finite garbage, where A is finite, and later steps leave the front alone.
// Entries above the diagonal are not read and not written.
// Local memory: BLOCK * BLOCK + STEP * STEP values.
#include "runtime/common.cl"

#include "dense/dense_args.h"
#include "dense/pivot_status.h"
#include "dense/pivot.cl"
#include "dense/row_solve.cl"

#ifndef ROWS
#define ROWS 64  // Rows below the diagonal block of a work-group.
#endif
#define PANEL_GROUP (BLOCK + ROWS)

// Column c of the elimination; c is a constant.  A failing pivot's column becomes zero, and the
// first one goes to `failed`.
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

// Factors the block whose lower part is `a` [column][row]; columns from `width` on become those of
// the identity.  Every work-item does the same.
INLINE void factor_block(StepBlock* block, __local const real* a, int width, int begin,
                         PivotStatus* failed) {
#pragma unroll
  for (int j = 0; j < STEP; ++j) {
#pragma unroll
    for (int c = 0; c < STEP; ++c) {
      if (c <= j) block->l[j][c] = j < width ? a[c * STEP + j] : (real)(j == c);
    }
  }
  // Written out: compilers keep the block in registers when c is a constant from the start.
  eliminate(block, 0, begin, failed);
  eliminate(block, 1, begin, failed);
  eliminate(block, 2, begin, failed);
  eliminate(block, 3, begin, failed);
  eliminate(block, 4, begin, failed);
  eliminate(block, 5, begin, failed);
  eliminate(block, 6, begin, failed);
  eliminate(block, 7, begin, failed);
}

// L(J, J) of the step before `column`, from the workspace to its place.
INLINE void put_back(__global real* A, const FrontPanel* front, __global const real* blocks,
                     Index column) {
  const Index begin = (column - 1) / BLOCK * BLOCK, width = column - begin;
  for (int p = get_local_id(0); p < BLOCK * BLOCK; p += PANEL_GROUP) {
    const int r = p % BLOCK, c = p / BLOCK;
    if (r < width && c <= r) A[begin + r + (begin + c) * front->ld] = blocks[p];
  }
}

// Columns [begin, begin + STEP) of a row that has `columns`; zeros past the last.
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
  // A group of this launch that fails writes a column that is not below this one.
  const bool live = (uint)front_status->column >= (uint)tile.column;
  __global real* A = panels + panels_offset + front.panel;
  __global real* my_blocks = blocks + blocks_offset + (Offset)tile.front * (2 * BLOCK * BLOCK);
  const int parity = tile.column / BLOCK % 2;
  // In the tile that only puts back, column may be no multiple of BLOCK.
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
  // Columns of this row that the block needs: the diagonal block's upper part is not read.
  const int columns = !mine ? 0 : in_block ? l + 1 : width;
  PivotStatus failed = {-1, -1, 0};
  real x[BLOCK], entries[STEP];
  load_step(entries, my_row, front.ld, 0, columns);
  for (int begin = 0; begin < width; begin += STEP) {
    const real8 a = subtract_solved(GATHERED8(entries), x, L, begin);
    // The next step's, while this one is factored.
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
      // Two conditions, not branches of one: PoCL 5 cannot compile those before a barrier.
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
