// What the kernels over fronts are told: one text for C++ and OpenCL C.
//
// C++ includes gpu_kernels/fronts/fronts.hpp, kernels include common.cl first.  Positions count
// entries from where the view of their buffer begins.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, the first ncol of which are its pivot columns; nupd = nrow - ncol.
typedef struct Front {
  Offset panel;        // Entry (0, 0) of its panel: nrow x ncol, column-major.
  Offset ldp;          // Leading dimension of the panel, >= nrow.
  Offset update;       // Its update matrix, in half storage.  Not used when nupd = 0.
  Offset rows;         // Its nrow row numbers in rowind; the first is first_column.
  Offset entry_begin;  // A's entries in its panel: [entry_begin, entry_end) of the entry lists.
  Offset entry_end;
  Offset inverses;  // Inverted diagonal blocks of its panel, one after another.
  Offset vector;    // Its right-hand sides in the solve: nrow rows from this row on.
  Index nrow, ncol;
  Index first_column;  // Number of its first pivot column.
  Index child_begin;   // Its children: [child_begin, child_end) of the list of children, in the
  Index child_end;     // order in which their updates are added.
  Index reserved;
} Front;

// What a parent is told about a child.
typedef struct Child {
  Offset update;  // The child's update matrix, in half storage.
  Offset vector;  // The first of its nupd update rows in the right-hand sides of the solve.
  Offset relind;  // Its nupd relative indices: rows of the parent, ascending.
  Index nupd;     // Order of the update matrix.
  Index reserved;
} Child;

// What one work-group zeroes and fills of panels: columns [first_column, end_column) of a front.
typedef struct ScatterTile {
  Offset entry_begin, entry_end;  // A's entries in these columns.
  Index front;
  Index first_column, end_column;
  Index base_column;  // Where the places of its entries count from; see make_entry_places().
} ScatterTile;

// What one work-group adds up of a front: rows and columns from (row, column) on, all columns in
// the panel or all in the update matrix.
typedef struct ExtendAddTile {
  Index front;
  Index row;
  Index column;
  Index num_columns;
  Index piece_begin, piece_end;  // The children's parts of it, in the children's order.
} ExtendAddTile;

// The part of a child's update matrix that falls into a tile: rows and columns of the child.
typedef struct ExtendAddPiece {
  Index child;
  Index row_begin, row_end;
  Index column_begin, column_end;
} ExtendAddPiece;

// What one work-group does of a solve; what it takes of these stands in the kernel files.
typedef struct FrontSolveTile {
  Index front;
  Index block_begin, block_end;  // Diagonal blocks.
  Index row_begin, row_end;      // Rows of the front.
  Index piece_begin, piece_end;  // Children's parts, or partial sums.
  Index form;                    // CLCHOL_SOLVE_* bits.
} FrontSolveTile;
#define CLCHOL_SOLVE_ASSEMBLE 1  // The rows' right-hand sides are put together first.
#define CLCHOL_SOLVE_WRITE 2     // The group that hands on the solution of the block.

// The part of a child's update rows that falls into a tile.
typedef struct FrontSolvePiece {
  Index child;
  Index begin, end;
} FrontSolvePiece;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
