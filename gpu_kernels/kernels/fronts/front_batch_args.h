// Descriptions of fronts, tiles and pieces that the host passes to front_batch.cl: one text for C++
// and OpenCL C.
//
// C++ includes gpu_kernels/fronts/front_batch_tiles.hpp; kernels include common.cl first.  Offsets
// count entries from the begin of the view of their buffer.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, the first ncol of which are its pivot columns; nupd = nrow - ncol.
typedef struct BatchFront {
  Offset panel;    // Entry (0, 0) of the panel, nrow x ncol, column-major: an even position.
  Offset ldp;      // Leading dimension of the panel, >= nrow, even.
  Offset update;   // First entry of the update matrix, in half storage: a multiple of 8.
  Offset factors;  // First entry of the front's factored diagonal blocks in the workspace.
  Index nrow, ncol;
  Index progress;    // Index of the front's progress counters, one for every 64 rows.
  Index arrivals;    // Index of the counter of update tiles that children in the batch have done.
  Index expected;    // Number of update tiles that children in the batch have.
  Index parent;      // Index of the parent's `arrivals`; -1: the parent is not in the batch.
  Index filled;      // 1: the panel holds A's entries before the launch; 0: the entry list does.
  Index panel_only;  // 1: front_batch.cl does not compute the update matrix.
} BatchFront;

enum { CLCHOL_DIAGONAL_TILE, CLCHOL_PANEL_TILE, CLCHOL_UPDATE_TILE };

// The tile of a front that one work-group computes.  It has 64 columns.  A diagonal tile has 64
// rows; other tiles have TILE_M rows, a constant of the kernel.
typedef struct BatchTile {
  Offset entry_begin;  // Index of the first of A's entries in the tile, in the list of entries.
  Index num_entries;   // Number of A's entries in the tile.
  Index front;
  Index row, column;             // First row and column of the tile in the front; both are even.
  Index kind;                    // CLCHOL_..._TILE
  Index piece_begin, piece_end;  // Range of the tile's pieces, in the order of the children.
  Index reserved;
} BatchTile;

// An entry of A in a tile.
typedef struct BatchEntry {
  unsigned int source;  // Index of the entry in A's values.
  Index place;          // Position in the tile: row + CLCHOL_PLACE_COLUMN * column.
} BatchEntry;
#define CLCHOL_PLACE_COLUMN 256

// The part of a child's update matrix that is added to one tile.  Row r of the piece goes to row
// relind[rows + r] of the front, column c to column relind[rows + diagonal + c].
typedef struct BatchPiece {
  Offset from;          // Position of the piece's first entry in the update matrices.
  Offset rows;          // Index of the piece's first row in the list of relative indices.
  Index ld;             // Leading dimension of its first block column; the next one's is 64 less.
  Index first_columns;  // Columns of the piece in its first block column.
  Index diagonal;       // Entry (i, j) of the piece is in the lower half when i >= j + diagonal.
  // Columns [begin[w], begin[w + 1]) of the piece go to the tile's columns [16 w, 16 w + 16).
  unsigned char begin[5];
  unsigned char num_rows;
  unsigned char reserved[6];
} BatchPiece;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
