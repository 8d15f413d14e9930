// Descriptions of fronts, children and tiles that the host passes to the kernels over fronts: one
// text for C++ and OpenCL C.
//
// C++ includes gpu_kernels/fronts/fronts.hpp; kernels include common.cl first.  Offsets count
// entries from the begin of the view of their buffer.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, the first ncol of which are its pivot columns; nupd = nrow - ncol.
typedef struct Front {
  Offset panel;        // Entry (0, 0) of the panel, nrow x ncol, column-major.
  Offset ldp;          // Leading dimension of the panel, >= nrow.
  Offset update;       // First entry of the update matrix, in half storage.  Unused when nupd = 0.
  Offset rows;         // Index in rowind of the nrow row numbers; the first is first_column.
  Offset entry_begin;  // First of A's entries in the panel, in the entry lists.
  Offset entry_end;    // End of A's entries in the panel, in the entry lists.
  Offset inverses;     // First entry of the inverted diagonal blocks, stored one after another.
  Offset vector;       // First of the front's nrow rows in the workspace of a solve.
  Index nrow, ncol;
  Index first_column;  // Number of the first pivot column in the factor.
  Index child_begin;   // First child in the list of children, which is in the order of additions.
  Index child_end;     // End of the front's children in the list.
  Index reserved;
} Front;

// A child, as its parent reads it.
typedef struct Child {
  Offset update;  // First entry of the child's update matrix, in half storage.
  Offset vector;  // First of the child's nupd update rows in the workspace of a solve.
  Offset relind;  // Index of the child's nupd relative indices: rows of the parent, ascending.
  Index nupd;     // Order of the update matrix.
  Index reserved;
} Child;

// Columns [first_column, end_column) of a panel, which one work-group sets to A's entries.
typedef struct ScatterTile {
  Offset entry_begin, entry_end;  // Range of A's entries in these columns, in the entry lists.
  Index front;
  Index first_column, end_column;
  Index base_column;  // Column that entry_place counts from; see make_entry_places().
} ScatterTile;

// A tile of a front, for which one work-group adds up the children's entries.  Its columns are all
// in the panel or all in the update matrix.
typedef struct ExtendAddTile {
  Index front;
  Index row;     // First row of the tile in the front.
  Index column;  // First column of the tile in the front.
  Index num_columns;
  Index piece_begin, piece_end;  // Range of the tile's pieces, in the order of the children.
} ExtendAddTile;

// The part of a child's update matrix that is added to one tile.  Rows and columns count in the
// child's update matrix.
typedef struct ExtendAddPiece {
  Index child;
  Index row_begin, row_end;
  Index column_begin, column_end;
} ExtendAddPiece;

// The part of a solve that one work-group does.  forward_solve.cl and backward_solve.cl say which
// members a kernel uses.
typedef struct FrontSolveTile {
  Index front;
  Index block_begin, block_end;  // Range of diagonal blocks of the front.
  Index row_begin, row_end;      // Range of rows of the front.
  Index piece_begin, piece_end;  // Range of the children's pieces, or of partial sums.
  Index form;                    // Sum of CLCHOL_SOLVE_* bits.
} FrontSolveTile;
#define CLCHOL_SOLVE_ASSEMBLE 1  // The work-group first assembles the right-hand sides of its rows.
#define CLCHOL_SOLVE_WRITE 2     // The work-group stores the solution of the block.

// The part of a child's update vector that is added to one tile: update rows [begin, end) of the
// child.
typedef struct FrontSolvePiece {
  Index child;
  Index begin, end;
} FrontSolvePiece;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
