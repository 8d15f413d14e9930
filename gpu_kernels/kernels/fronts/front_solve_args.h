// What front_solve.cl and subtree_solve.cl are told: one text for C++ and OpenCL C.
//
// C++ includes gpu_kernels/fronts/front_solve_tiles.hpp, kernels include common.cl first. Positions
// count entries from where the view of their buffer begins.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, the first ncol of which are its pivot columns.
typedef struct SolveFront {
  Offset panel;      // Entry (0, 0) of its panel, nrow x ncol, column-major: an even position.
  Offset ldp;        // Leading dimension of the panel, >= nrow, even.
  Offset inverses;   // Inverted diagonal blocks, one after another: of fronts in tiles alone.
  Offset couplings;  // What its diagonal blocks are coupled by, among the inverses; -1: none.
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
  Index span;          // Diagonal blocks that are solved side by side; 1 where none are coupled.
  Index sums;          // As `solved`, of the sums that blocks of a span tell each other.
} SolveFront;

// Diagonal blocks of a front are coupled by spans: those of one span are solved side by side when
// the span before (backward, behind) is.  With W the inverse of a span's own rows of L, by blocks,
//
//   INSIDE   W(row, column) = -W(row, row) sum of L(row, t) W(t, column), column <= t < row
//   BEFORE   C(row, column) = sum of W(row, t) L(t, column), t <= row in row's span, column in the
//                             span before
//   BEHIND   D(row, column) = sum of L(row, t) W(t, column), t >= column in column's span, row in
//                             the span behind
//
// A front's couplings are W(row, column), row > column, of each span by rows; then for each two
// spans C by rows and D by rows: blocks of order 64, zero behind the rows.
enum { CLCHOL_COUPLE_INSIDE, CLCHOL_COUPLE_BEFORE, CLCHOL_COUPLE_BEHIND };
typedef struct SolveCoupling {
  Offset panel, ldp;  // Of the front.
  Offset inverses, couplings;
  Index ncol, span;
  Index kind;         // CLCHOL_COUPLE_...
  Index row, column;  // Blocks of the front.
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
