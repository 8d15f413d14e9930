// What front_solve.cl and subtree_solve.cl are told: one text for C++ and OpenCL C.
//
// C++ includes gpu_kernels/front_solve_tiles.hpp, kernels include common.cl first.  Positions count
// entries from where the view of their buffer begins.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, the first ncol of which are its pivot columns.
typedef struct SolveFront {
  Offset panel;      // Entry (0, 0) of its panel, nrow x ncol, column-major: an even position.
  Offset ldp;        // Leading dimension of the panel, >= nrow, even.
  Offset inverses;   // Inverted diagonal blocks, one after another: of fronts in tiles alone.
  Offset couplings;  // Two for each diagonal block but the first, among the inverses; -1: none.
  Offset rows;       // Its nrow row numbers in rowind, and as many places in source_ptr.
  Offset vector;     // The first of its nrow - ncol update rows in the update vectors.
  Index nrow, ncol;
  Index first_column;  // Row of x of its first pivot column.
  Index progress;      // Its two counters: diagonal blocks that are solved, update tiles that its
                       // children have written, ...
  Index expected;      // ... of which there are so many; 0: all its children are in subtrees.
  Index parent;        // `progress` of its parent; -1: it has none.
  Index waits;         // The first of its SolveWait.
  Index solved;        // Row of its first pivot column in what is tagged: of fronts in tiles alone.
} SolveFront;

// What diagonal block b and the one before are coupled by: with W = L(b, b)^-1,
//
//   W(b) L(b, b - 1)    and    L(b, b - 1) W(b - 1)
typedef struct SolveCoupling {
  Offset block;  // Entry (0, 0) of L(b, b - 1), which has 64 columns.
  Offset ld;
  Offset inverse;  // W(b - 1), which W(b) follows.
  Offset to;       // Where they go: both square, of order 64, zero behind the rows.
  Index rows;      // Of L(b, b - 1).
  Index reserved;
} SolveCoupling;

// When x is final in the rows of a step backward: in 64 update rows, the first 64 of which begin at
// the even row ncol / 2 * 2.
typedef struct SolveWait {
  Index
      counter;   // `progress` of the front that has the first of these rows; -1: before the launch.
  Index solved;  // So many of its blocks are solved.
} SolveWait;

// What one work-group does.  Forward:
//
//   BLOCK   rows [row, row_end) are those of diagonal block `block`: x becomes y there
//   ROWS    update rows among [row, row_end), up to 64
//
// Backward, for the pivot columns of diagonal block `block`:
//
//   BLOCK   solves them, after partial sums [slot_begin, slot_end), or update rows [row, row_end)
//   ROWS    partial sum `slot_begin`, over update rows among [row, row_end)
//
// `row` is even: where ncol is odd, the first update row is row + 1.
enum { CLCHOL_SOLVE_BLOCK, CLCHOL_SOLVE_ROWS };
typedef struct SolveTicket {
  Index front;
  Index form;  // CLCHOL_SOLVE_...
  Index block;
  Index row, row_end;
  Index slot_begin, slot_end;
  Index counter;  // Counts partial sums of the block.
} SolveTicket;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
