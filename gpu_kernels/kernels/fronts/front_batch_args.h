// Structs that describe fronts, tiles and pieces, which the host passes to front_batch.cl.  C++ and
// OpenCL C both compile this file.
//
// C++ code includes this file through gpu_kernels/fronts/front_batch_tiles.hpp, whose function
// make_front_batch() makes the lists of these structs (FrontBatchLists).  Kernel files include
// runtime/common.cl before this file.
//
// The position of a matrix is the number of entries before its first entry in an operand of the
// kernel: `panels` (all panels), `updates` (all update matrices, those of children included) or
// `factors` (factored diagonal blocks).  An operand is a range of a buffer in device memory
// (DeviceView on the host).  relind is the list of the relative indices of all children.  "Half
// storage" is the storage of an update matrix that base/update_layout.hpp describes.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front: nrow rows and columns, of which the first ncol are the pivot rows and pivot columns, and
// the other nupd = nrow - ncol are the update rows and update columns.
typedef struct BatchFront {
  Offset panel;      // Position, even, of entry (0, 0) of the panel, nrow x ncol, column-major.
  Offset ldp;        // Leading dimension of the panel: an even number >= nrow.
  Offset update;     // Position, a multiple of 8, of the update matrix, in half storage.
  Offset factors;    // Position of the front's factored diagonal blocks in FrontBatchPlan::factors.
  Index nrow, ncol;  // Number of rows, and number of pivot columns.
  // Index of the first of the front's progress counters.  Counter i counts the blocks of 16 pivot
  // columns in which rows 64 i to 64 i + 63 are final.
  Index progress;
  // Index of the counter of those update tiles of the front's children that have been computed.
  // Only children in the batch count.
  Index arrivals;
  Index expected;  // Total number of the update tiles of children in the batch.
  Index parent;    // Index of the parent's `arrivals`.  -1: the parent is not in the batch.
  // 1: the panel holds A's entries before the launch.  0: the launch reads A's entries through the
  // list of BatchEntry.
  Index filled;
  Index panel_only;  // 1: front_batch.cl does not compute the update matrix.
} BatchFront;

// Kinds of tiles: 64 x 64 on the diagonal of the panel; in the panel below; in the update matrix.
enum { CLCHOL_DIAGONAL_TILE, CLCHOL_PANEL_TILE, CLCHOL_UPDATE_TILE };

// The tile of a front that one work-group computes.  A tile has 64 columns.  A diagonal tile has 64
// rows; other tiles have TILE_M rows (64 or 128), a constant of the kernel.
typedef struct BatchTile {
  Offset entry_begin;  // Index in the list of BatchEntry of A's first entry in the tile.
  Index num_entries;   // Number of A's entries in the tile.
  Index front;         // Index of the front.
  Index row, column;   // First row and first column of the tile in the front: even numbers.
  Index kind;          // CLCHOL_DIAGONAL_TILE, CLCHOL_PANEL_TILE or CLCHOL_UPDATE_TILE.
  // Range of the tile's pieces in the list of BatchPiece.  Pieces are in the order of the children.
  Index piece_begin, piece_end;
  Index reserved;  // Not used.
} BatchTile;

// An entry of A in a tile.
typedef struct BatchEntry {
  unsigned int source;  // Index of the entry in A's values.
  // Where the entry is in the tile: row + CLCHOL_PLACE_COLUMN * column, both numbered in the tile.
  Index place;
} BatchEntry;
#define CLCHOL_PLACE_COLUMN 256  // A number greater than every row number in a tile.

// A piece: the block of one child's update matrix that is added to one tile.  Row r of the piece
// goes to row relind[rows + r] of the front; column c goes to column relind[rows + diagonal + c] of
// the front.  A piece lies in at most two neighbouring block columns of the half storage.
typedef struct BatchPiece {
  Offset from;  // Position of the piece's first entry in the operand `updates`.
  Offset rows;  // Index in relind of the relative index of the piece's first row.
  // Leading dimension of the first block column.  The leading dimension of the next block column is
  // 64 less.
  Index ld;
  Index first_columns;  // Number of columns of the piece in the first block column.
  // Column number minus row number, both in the update matrix, of the piece's first entry.  Entry
  // (i, j) of the piece is on or below the diagonal of the update matrix if i >= j + diagonal.
  Index diagonal;
  // Columns [begin[w], begin[w + 1]) of the piece go to the tile's columns [16 w, 16 w + 16).
  unsigned char begin[5];
  unsigned char num_rows;     // Number of rows of the piece.
  unsigned char reserved[6];  // Not used.
} BatchPiece;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
