// Declarations that the files of front_batch.cl share: sizes of tiles, operands, and the position
// of a tile.
#include "runtime/common.cl"
#include "fronts/front_batch_args.h"
#include "dense/pivot_status.h"
#ifndef WARPS_M
#define WARPS_M 2
#define WARPS_N 2
#endif
#include "dense/tensor_product.cl"

#define BLOCK 64  // Columns of a tile and of the update's block columns; rows of a diagonal tile.
#if TILE_N != BLOCK || WARPS != 4 || (TILE_M != 64 && TILE_M != 128)
#error "front_batch has four warps for tiles of 64 or 128 rows and 64 columns"
#endif

// A factored diagonal tile in the workspace, as panel tiles read it: its 16 x 16 blocks on and
// below the diagonal, by block columns, with inverted diagonal blocks.  Then, for each of the four
// block columns, the number of good columns of the tile that was known after its factorization:
// columns before the first failed pivot.
#define SMALL 16
#define SMALL_SIZE (SMALL * SMALL)
#define GOOD_COLUMNS (10 * SMALL_SIZE)
#define FACTOR_SIZE (GOOD_COLUMNS + BLOCK / SMALL)
#define SMALL_BLOCK(p, q) ((3 * (q) - (q) * ((q) - 1) / 2 + (p)) * SMALL_SIZE)
// Position of entry (i, k) in a small block: by rows, with pairs of columns swizzled against bank
// conflicts.
#define SMALL_PLACE(i, k) ((i)*SMALL + ((((k) >> 1) ^ (((i) >> 1) & 1)) << 1) + ((k)&1))

// Workspace in local memory in which a warp factors a diagonal block: 16 columns of the block, with
// the identity below it.
#define WORK_LD 36
#define WORK_SIZE (SMALL * WORK_LD)
#define ROOM_FOR_DIAGONAL (6 * SMALL_SIZE + WARPS * WORK_SIZE + 8 * SMALL)
// Sums of A's and the children's entries of a tile, by columns.  Row TILE_M, and a column of each
// warp after the last column, take entries that lie outside of the tile, so that additions need no
// condition.
#define CHILDREN_LD (TILE_M + 2)

#define ROOM_FOR_CHILDREN (CHILDREN_LD * (BLOCK + WARPS))
#define ROOM_BESIDE_K_TILES \
  (ROOM_FOR_CHILDREN > ROOM_FOR_DIAGONAL ? ROOM_FOR_CHILDREN : ROOM_FOR_DIAGONAL)
#define ROOM (K_TILES_SIZE > ROOM_BESIDE_K_TILES ? K_TILES_SIZE : ROOM_BESIDE_K_TILES)

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

// A tile, and the panel and the counters of its front.
typedef struct Place {
  Index row, column;  // First row and column of the tile in the front.
  Index nrow, ncol;
  Offset ldp;
  __global double* panel;
  __global int* progress;
} Place;

// Diagonal and panel tiles are solved in blocks of 16 x 16; a warp has whole rows of blocks.  Lane
// 4g + t holds in at[j][e] the entry of a block in
//
//   row 2 g + e / 2,  column 4 t + 2 (e % 2) + j
typedef struct Block {
  double at[2][4];
} Block;

#define BLOCK_ROWS (TILE_M / WARPS / SMALL)  // Rows of blocks that a warp has in a panel tile.
#define BLOCK_COLUMNS (BLOCK / SMALL)
typedef struct Rows {
  Block at[BLOCK_ROWS][BLOCK_COLUMNS];
} Rows;

// Moves the next 16 columns to the front.  So registers are never indexed by a variable, although
// the loops over columns are not unrolled, which would cost too many instruction fetches.
INLINE void drop_columns(__private Rows* acc) {
#pragma unroll
  for (int i = 0; i < BLOCK_ROWS; ++i) {
#pragma unroll
    for (int q = 0; q + 1 < BLOCK_COLUMNS; ++q) acc->at[i][q] = acc->at[i][q + 1];
  }
}
