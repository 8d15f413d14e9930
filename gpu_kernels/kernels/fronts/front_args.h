// Structs that describe fronts, children and tiles, which the host passes to the kernels that
// assemble, factor small fronts and solve, wave by wave.  C++ and OpenCL C both compile this file.
//
// C++ code includes this file through gpu_kernels/fronts/fronts.hpp.  Kernel files include
// runtime/common.cl before this file.
//
// The structs refer to the lists of gpu::FrontLists (fronts.hpp), which are in device memory:
//   fronts, children            list of Front, list of Child
//   relind                      relative indices of all children
//   rowind                      row numbers of all fronts, numbered as in the permuted matrix
//   entry_source, entry_place   for each entry of A: its index in A's values; its place in a panel
//
// The position of a panel, an update matrix or an inverse is the number of entries before its first
// entry in an operand of the kernel: the operand that holds all panels, all update matrices or all
// inverses.  An operand is a range of a buffer in device memory (DeviceView on the host).  "Half
// storage" is the storage of an update matrix that base/update_layout.hpp describes.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front: nrow rows and columns, of which the first ncol are the pivot rows and pivot columns, and
// the other nupd = nrow - ncol are the update rows and update columns.
typedef struct Front {
  Offset panel;        // Position of entry (0, 0) of the panel, nrow x ncol, column-major.
  Offset ldp;          // Leading dimension of the panel, >= nrow.
  Offset update;       // Position of the update matrix, in half storage.  Unused when nupd = 0.
  Offset rows;         // Index in rowind of the front's first row number, first_column.
  Offset entry_begin;  // Index in entry_source and entry_place of A's first entry in the panel.
  Offset entry_end;    // Index in the same two lists of the end of A's entries in the panel.
  Offset inverses;     // Position of the inverted diagonal blocks, which lie one after another.
  Offset vector;       // Row of SolveOperands::vectors at which the front's nrow rows begin.
  Index nrow, ncol;    // Number of rows, and number of pivot columns.
  Index first_column;  // Column number of the first pivot column in the permuted matrix.
  Index child_begin;   // Index of the front's first child in the list of children.
  Index child_end;     // Index of the end of the front's children in that list.
  Index reserved;      // Not used.
} Front;

// A child: the update matrix of one front, as the parent front adds it.  The children of one parent
// are added in the order of the list of children.
typedef struct Child {
  Offset update;   // Position of the child's update matrix, in half storage.
  Offset vector;   // Row of SolveOperands::vectors at which the child's nupd update rows begin.
  Offset relind;   // Index in relind of the nupd relative indices: rows of the parent, ascending.
  Index nupd;      // Order of the update matrix.
  Index reserved;  // Not used.
} Child;

// Columns [first_column, end_column) of a panel.  One work-group sets these columns to zero, and
// then writes A's entries into them.
typedef struct ScatterTile {
  // Range in entry_source and entry_place of A's entries in the columns of the tile.
  Offset entry_begin, entry_end;
  Index front;                     // Index of the front.
  Index first_column, end_column;  // Range of panel columns, numbered in the front.
  // Column of the front from whose first entry entry_place counts: base_column(ldp, first_column)
  // of fronts.hpp.  It is 0 unless the panel has 2^31 entries or more.
  Index base_column;
} ScatterTile;

// A tile of a front, to which one work-group adds the entries of the children's update matrices.
// The columns of a tile are all in the panel or all in the update matrix.
typedef struct ExtendAddTile {
  Index front;        // Index of the front.
  Index row;          // First row of the tile, numbered in the front.
  Index column;       // First column of the tile, numbered in the front.
  Index num_columns;  // Number of columns of the tile.
  // Range of the tile's pieces in the list of pieces.  Pieces are in the order of the children.
  Index piece_begin, piece_end;
} ExtendAddTile;

// A piece: the block of one child's update matrix that is added to one tile.  Rows and columns are
// numbered in the child's update matrix.  Only entries on and below the diagonal are added.
typedef struct ExtendAddPiece {
  Index child;                     // Index in the list of children.
  Index row_begin, row_end;        // Rows [row_begin, row_end) of the update matrix.
  Index column_begin, column_end;  // Columns [column_begin, column_end) of the update matrix.
} ExtendAddPiece;

// The part of a solve that one work-group does.  Blocks are the diagonal blocks of the front.  A
// partial sum is the product of a block's columns of L', in some update rows, with x; the partial
// sums lie in SolveOperands::partial and are numbered there from 0.
//
//   kernel             block_begin, block_end    row_begin, row_end      piece_begin, piece_end
//   forward_solve      range of blocks           range of rows           range of pieces
//   backward_whole     range of blocks           not used                not used
//   backward_partial   block block_begin         range of update rows    partial sum piece_begin
//   backward_sum       block block_begin         not used                range of partial sums
//   backward_step      block_begin: the block that is solved; block_end: a block with a smaller
//                      number, from whose right-hand sides the product of L' with the solution of
//                      block block_begin is subtracted, -1: none; other members not used
typedef struct FrontSolveTile {
  Index front;                   // Index of the front.
  Index block_begin, block_end;  // Numbers of diagonal blocks, as in the table above.
  Index row_begin, row_end;      // Range of rows, numbered in the front, as in the table above.
  Index piece_begin, piece_end;  // Range of pieces or of partial sums, as in the table above.
  Index form;                    // Sum of CLCHOL_SOLVE_* bits.
} FrontSolveTile;
// Bit of FrontSolveTile::form: the work-group first assembles the right-hand sides of the tile's
// rows, from the caller's entries in pivot rows, zeros in update rows, and the children's pieces.
#define CLCHOL_SOLVE_ASSEMBLE 1
// Bit of FrontSolveTile::form: the work-group stores the solution of the tile's blocks in x.  Of
// several work-groups that compute the same block, only one has this bit.
#define CLCHOL_SOLVE_WRITE 2

// A piece: the update rows [begin, end) of one child's update vector, which are added to one tile.
typedef struct FrontSolvePiece {
  Index child;       // Index in the list of children.
  Index begin, end;  // Range of update rows of the child; 0 is the child's first update row.
} FrontSolvePiece;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
