// What front_batch.cl is told: one text for C++ and OpenCL C.
//
// C++ includes gpu_kernels/fronts/front_batch.hpp, kernels include common.cl first.  Positions
// count entries from where the view of their buffer begins.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, the first ncol of which are its pivot columns; nupd = nrow - ncol.
typedef struct BatchFront {
  Offset panel;    // Entry (0, 0) of its panel, nrow x ncol, column-major: an even position.
  Offset ldp;      // Leading dimension of the panel, >= nrow, even.
  Offset update;   // Its update matrix, in half storage; a multiple of 8.  Unused without one.
  Offset factors;  // Its factored diagonal blocks in the workspace, one after another.
  Index nrow, ncol;
  Index progress;    // Its counters, one for every 64 rows.
  Index arrivals;    // Counts the update tiles that its children in the batch have written ...
  Index expected;    // ... of which there are so many; 0: all its children are elsewhere.
  Index parent;      // The `arrivals` of its parent; -1: its parent is not in the batch.
  Index filled;      // 1: the panel holds its entries of A before; 0: the list of entries has them.
  Index panel_only;  // 1: its update matrix is left to others.
} BatchFront;

enum { CLCHOL_DIAGONAL_TILE, CLCHOL_PANEL_TILE, CLCHOL_UPDATE_TILE };

// What one work-group computes: rows and columns of a front from (row, column) on, 64 columns, and
// 64 rows in a diagonal tile, the kernel's TILE_M rows in others.  Both are even.
typedef struct BatchTile {
  Offset entry_begin;  // A's entries in it: so many of the list of entries from here on.
  Index num_entries;
  Index front;
  Index row, column;
  Index kind;                    // CLCHOL_..._TILE
  Index piece_begin, piece_end;  // The children's parts of it, in the children's order.
  Index reserved;
} BatchTile;

// One of A's entries.
typedef struct BatchEntry {
  unsigned int source;  // Its position in A's values.
  Index place;          // In the tile: row + CLCHOL_PLACE_COLUMN * column.
} BatchEntry;
#define CLCHOL_PLACE_COLUMN 256

// The part of a child's update matrix that falls into a tile.  Row r of it goes to row
// relind[rows + r] of the front, column c to column relind[rows + diagonal + c].
typedef struct BatchPiece {
  Offset from;          // Its first entry in the updates.
  Offset rows;          // Its first row in the list of relative indices.
  Index ld;             // Of the block column that its first column is in; 64 less in the next.
  Index first_columns;  // Columns in the first block column.
  Index diagonal;       // Entry (i, j) of the piece is in the lower half when i >= j + diagonal.
  // Its columns that go to the tile's columns [16 w, 16 w + 16) are [begin[w], begin[w + 1]).
  unsigned char begin[5];
  unsigned char num_rows;
  unsigned char reserved[6];
} BatchPiece;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
