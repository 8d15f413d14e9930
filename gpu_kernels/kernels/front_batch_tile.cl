// What the files of front_batch.cl share: sizes of tiles, operands, and where a tile lies.
#include "common.cl"
#include "front_batch_args.h"
#include "pivot_status.h"
#ifndef WARPS_M
#define WARPS_M 2
#define WARPS_N 2
#endif
#include "tensor_product.cl"

#define BLOCK 64  // Columns of a tile and of the update's block columns; rows of a diagonal tile.
#if TILE_N != BLOCK || WARPS != 4 || (TILE_M != 64 && TILE_M != 128)
#error "front_batch has four warps for tiles of 64 or 128 rows and 64 columns"
#endif

// A factored diagonal block, as panel tiles read it: the 16 x 16 blocks on and below the diagonal,
// row by row of blocks, the reciprocals of the diagonal, and the number of good columns.
#define SMALL 16
#define SMALL_SIZE (SMALL * SMALL)
#define RECIPROCALS (10 * SMALL_SIZE)
#define GOOD_COLUMNS (RECIPROCALS + BLOCK)
#define FACTOR_SIZE (GOOD_COLUMNS + 2)
#define SMALL_BLOCK(p, q) (((p) * ((p) + 1) / 2 + (q)) * SMALL_SIZE)
// Entry (i, k) of a small block: by rows, pairs of columns swizzled against bank conflicts.
#define SMALL_PLACE(i, k) ((i)*SMALL + ((((k) >> 1) ^ (((i) >> 1) & 1)) << 1) + ((k)&1))

// Columns of a diagonal tile in local memory, eight at a time, and those that are done: without
// bank conflicts.
#define STEP 8
#define STEP_LD (BLOCK + 4)
#define ROOM_FOR_DIAGONAL ((STEP + BLOCK) * STEP_LD)
// A's and the children's entries of a tile, by columns.  Row TILE_M, and a column of each warp
// behind the last one, take what belongs nowhere: so nothing is added under a condition.
#define CHILDREN_LD (TILE_M + 2)

#define ROOM_FOR_CHILDREN (CHILDREN_LD * (BLOCK + WARPS))
#define ROOM_BESIDE_SLABS \
  (ROOM_FOR_CHILDREN > ROOM_FOR_DIAGONAL ? ROOM_FOR_CHILDREN : ROOM_FOR_DIAGONAL)
#define ROOM (SLABS_SIZE > ROOM_BESIDE_SLABS ? SLABS_SIZE : ROOM_BESIDE_SLABS)

#define SMALLEST_PIVOT 2.2250738585072014e-308
#define LARGEST_PIVOT 1.7976931348623157e+308

typedef struct Batch {
  __global const BatchFront* fronts;
  __global const BatchTile* tiles;
  __global const BatchEntry* entries;
  __global const BatchPiece* pieces;
  __global const Index* relind;
  __global const double* values;
  __global double* panels;
  __global double* updates;
  __global double* factors;
  __global int* progress;
  __global PivotStatus* status;
} Batch;

// A tile and where its front lies.
typedef struct Place {
  Index row, column;
  Index nrow, ncol;
  Offset ldp;
  __global double* panel;
  __global int* progress;
} Place;

// A diagonal or panel tile, divided as it is solved: a warp has whole rows, and a lane columns that
// follow each other.  Lane 4g + t has in at[i][j][e], of the warp's rows,
//
//   row 16 i + 2 g + e / 2,  column 16 (j / 2) + 4 t + 2 (e % 2) + j % 2
#define SOLVED_ROW_BLOCKS (TILE_M / WARPS / 16)
#define SOLVED_COLUMN_BLOCKS (BLOCK / 8)
typedef struct Rows {
  double at[SOLVED_ROW_BLOCKS][SOLVED_COLUMN_BLOCKS][4];
} Rows;

// Where this work-item's entries begin in a tile of tile_m rows.
INLINE int solved_row(const int tile_m) {
  const int l = get_local_id(0);
  return l / 32 * (tile_m / WARPS) + 2 * (l % 32 / 4);
}
INLINE int solved_column(void) { return 4 * (get_local_id(0) % 4); }
// Column of entry e of block column j, from solved_column() on.
INLINE int solved_column_of(int j, int e) { return 16 * (j / 2) + 2 * (e % 2) + j % 2; }

// The next 16 columns become the first.  Registers move, so that the loops over columns can stay
// rolled, which instruction fetches want, and registers are never indexed by a variable.
INLINE void drop_columns(__private Rows* acc, const int row_blocks) {
#pragma unroll
  for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
    for (int j = 0; j < SOLVED_COLUMN_BLOCKS - 2; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) acc->at[i][j][e] = acc->at[i][j + 2][e];
    }
  }
}
