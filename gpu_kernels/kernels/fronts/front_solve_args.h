// Descriptions of fronts, tickets and couplings that the host passes to front_solve.cl,
// subtree_solve.cl and couple_blocks.cl: one text for C++ and OpenCL C.
//
// C++ includes gpu_kernels/fronts/front_solve_tiles.hpp; kernels include common.cl first.  Offsets
// count entries from the begin of the view of their buffer.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, the first ncol of which are its pivot columns.
typedef struct SolveFront {
  Offset panel;      // Entry (0, 0) of the panel, nrow x ncol, column-major: an even position.
  Offset ldp;        // Leading dimension of the panel, >= nrow, even.
  Offset inverses;   // First entry of the inverted diagonal blocks.  Only for fronts in tiles.
  Offset couplings;  // First entry of the front's couplings, in the buffer of inverses; -1: none.
  Offset rows;       // Index of the front's nrow rows in rowind and in source_ptr.
  Offset vector;     // First of the front's nrow - ncol update rows in the update vectors.
  Index nrow, ncol;
  Index first_column;  // Row of x of the first pivot column.
  Index progress;      // Index of the counter of solved diagonal blocks.  The next counter counts
                       // update tiles that children have written.
  Index expected;      // Number of the children's update tiles in the launch; 0: none.
  Index parent;        // `progress` of the parent; -1: no parent in the launch.
  Index waits;         // Index of the front's first SolveWait.
  Index solved;        // Tagged row of the first pivot column.  Only for fronts in tiles.
  Index span;          // Number of diagonal blocks of a span, >= 1.
  Index sums;          // Tagged row of the first pivot column's sum, which its span reads.
} SolveFront;

// One block of a front's couplings.  The diagonal blocks of a front form spans.  The blocks of one
// span are solved at the same time, when the span before is solved (backward: the span after).
// With W the inverse of the diagonal block of L that belongs to a span, in blocks of order 64,
//
//   INSIDE   W(row, column) = -W(row, row) sum of L(row, t) W(t, column), column <= t < row
//   BEFORE   C(row, column) = sum of W(row, t) L(t, column), t <= row in row's span, column in the
//                             span before
//   BEHIND   D(row, column) = sum of L(row, t) W(t, column), t >= column in column's span, row in
//                             the span after
//
// A front's couplings are stored as W(row, column), row > column, of each span by rows; then, for
// each two neighbouring spans, C by rows and D by rows.  All are blocks of order 64, with zeros
// past the last row.
enum { CLCHOL_COUPLE_INSIDE, CLCHOL_COUPLE_BEFORE, CLCHOL_COUPLE_BEHIND };
typedef struct SolveCoupling {
  Offset panel, ldp;           // Panel of the front, as in SolveFront.
  Offset inverses, couplings;  // As in SolveFront.
  Index ncol, span;
  Index kind;         // CLCHOL_COUPLE_...
  Index row, column;  // Numbers of the block row and block column in the front.
  Index reserved;
} SolveCoupling;

// Says when x is final in 64 update rows of a front, which are one step of a backward solve.  The
// front's first 64 update rows begin at the even row ncol / 2 * 2.
typedef struct SolveWait {
  Index counter;  // `progress` of the ancestor that has the first of the rows; -1: x is final.
  Index solved;   // Number of the ancestor's blocks that must be solved.
} SolveWait;

// The work of one work-group.  Forward:
//
//   BLOCK   solves for y in rows [row, row_end), those of diagonal block `block`
//   ROWS    computes the update rows among [row, row_end), up to 64
//
// Backward, for the pivot columns of diagonal block `block`:
//
//   BLOCK   solves for x, with partial sums [slot_begin, slot_end) or update rows [row, row_end)
//   ROWS    computes partial sum `slot_begin`, over the update rows among [row, row_end)
//
// `row` is even: where ncol is odd, the first update row is row + 1.
enum { CLCHOL_SOLVE_BLOCK, CLCHOL_SOLVE_ROWS };
typedef struct SolveTicket {
  Index front;
  Index form;  // CLCHOL_SOLVE_...
  Index block;
  Index row, row_end;
  Index slot_begin, slot_end;
  Index counter;  // Index of the counter of the block's partial sums.
} SolveTicket;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
