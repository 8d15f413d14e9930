// Structs that describe fronts, tickets and couplings, which the host passes to front_solve.cl,
// subtree_solve.cl and couple_blocks.cl.  C++ and OpenCL C both compile this file.
//
// C++ code includes this file through gpu_kernels/fronts/front_solve_tiles.hpp, whose function
// make_front_solve() makes the lists of these structs (FrontSolveLists).  Kernel files include
// runtime/common.cl before this file.
//
// A front is either part of a subtree of small fronts, which one warp solves (subtree_solve.cl), or
// is cut into tiles (front_solve.cl).  Diagonal blocks have 64 columns (the last block may have
// fewer) and are numbered from 0 in each front.
//
// The structs refer to operands of the kernels.  An operand is a range of a buffer in device memory
// (DeviceView on the host):
//   panels                panels of the fronts of one group (SolveFrontInput::group)
//   inverses              inverted diagonal blocks and couplings of the group's fronts
//   vectors               update rows of the forward solve, which children pass to their parents:
//                         one array for all fronts, row-major, a column for each right-hand side
//   rowind                row number in x of each row of each front
//   source_ptr, sources   for each row of each front, the rows of `vectors` that the forward solve
//                         adds to this row: see FrontSolveLists::source_ptr
// The position of a matrix is the number of entries before its entry (0, 0) in `panels` or in
// `inverses`.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
#endif

// A front of nrow rows, of which the first ncol are the pivot rows.
//
// "Tagged rows" are rows of FrontSolveWorkspace::tagged (front_solve.hpp): work-groups of a launch
// pass numbers to each other in these rows, each number together with a tag that tells the reader
// that the number is of this launch.
typedef struct SolveFront {
  Offset panel;        // Position, even, of entry (0, 0) of the panel, nrow x ncol, column-major.
  Offset ldp;          // Leading dimension of the panel: an even number >= nrow.
  Offset inverses;     // Position of the inverted diagonal blocks.  Unused for fronts in subtrees.
  Offset couplings;    // Position of the front's couplings in the operand `inverses`.  -1: none.
  Offset rows;         // Index in rowind and in source_ptr of the first of the front's nrow rows.
  Offset vector;       // Row of `vectors` that holds the first of the front's update rows.
  Index nrow, ncol;    // Number of rows, and number of pivot columns.
  Index first_column;  // Row of x that belongs to the first pivot column.
  // Index of the counter of the front's solved diagonal blocks.  The counter at index progress + 1
  // counts the update tiles that the front's children have written.
  Index progress;
  Index expected;  // Number of update tiles that children in the same launch write.  0: none.
  Index parent;    // Member `progress` of the parent.  -1: the parent is not in the launch.
  Index waits;     // Index of the front's first element in the list of SolveWait.
  // Tagged row for x in the first pivot row.  The tagged rows of the other pivot rows follow.
  // Unused for fronts in subtrees.
  Index solved;
  Index span;  // Number of diagonal blocks of a span, >= 1.
  // Tagged row for the sum in the first pivot row.  The tagged rows of the other pivot rows follow.
  // Unused unless the front's spans have several blocks.
  //
  // Both solves compute a sum in each pivot row: the right-hand side (forward: with the children's
  // update rows added) minus the products of L (backward: L') with x in the front's rows that are
  // solved earlier.  Left out are the rows of the pivot row's own span, and of the span that is
  // solved directly before.  The work-group of a diagonal block reads the sums of the span's
  // blocks before (backward: after) this block.
  Index sums;
} SolveFront;

// One coupling: a block of order 64, the result of products of inverted diagonal blocks with blocks
// of L.  A coupling is computed before the solves and makes each solve faster.
//
// The diagonal blocks of a front form spans of `span` neighbouring blocks.  The blocks of one span
// are solved at the same time, as soon as the span before is solved (in the backward solve: the
// span after).  Let L(i, t) be the block of L in block row i and block column t of the front.  Let
// W be the inverse of the lower triangle of L in the rows and columns of one span, and W(i, t) its
// block in the same numbering.  There are three kinds of couplings:
//
//   INSIDE   W(row, column) = -W(row, row) * sum of L(row, t) W(t, column)
//            row > column, both in one span; sum over column <= t < row
//   BEFORE   C(row, column) = sum of W(row, t) L(t, column)
//            column in the span before row's span; sum over the blocks t <= row of row's span
//   BEHIND   D(row, column) = sum of L(row, t) W(t, column)
//            row in the span after column's span; sum over the blocks t >= column of column's span
//
// Order of a front's couplings in memory: first the INSIDE couplings of all spans, span by span and
// in each span by rows.  Then, for each pair of neighbouring spans, all C by rows, then all D by
// rows.  Each coupling has 64 x 64 entries, column-major.  If the front's last diagonal block has
// only r < 64 pivot rows, the couplings in the last block row have zeros in rows r to 63.
enum { CLCHOL_COUPLE_INSIDE, CLCHOL_COUPLE_BEFORE, CLCHOL_COUPLE_BEHIND };
typedef struct SolveCoupling {
  Offset panel, ldp;           // SolveFront::panel and SolveFront::ldp of the front.
  Offset inverses, couplings;  // SolveFront::inverses and SolveFront::couplings of the front.
  Index ncol, span;            // SolveFront::ncol and SolveFront::span of the front.
  Index kind;         // CLCHOL_COUPLE_INSIDE, CLCHOL_COUPLE_BEFORE or CLCHOL_COUPLE_BEHIND.
  Index row, column;  // Numbers of the block row and of the block column in the front.
  Index reserved;     // Not used.
} SolveCoupling;

// Says what a backward solve waits for before it reads x in one step of up to 64 update rows of a
// front: an ancestor must have solved some number of its diagonal blocks.  Step k of a front begins
// at row ncol / 2 * 2 + 64 k of the front, which is even.  The step has the element with the index
// SolveFront::waits + k in the list of SolveWait.
typedef struct SolveWait {
  // Member `progress` of the ancestor that has the step's first update row as a pivot row.  -1: x
  // is final before the launch.
  Index counter;
  // Number of diagonal blocks that the ancestor of the member `counter` must have solved.  Diagonal
  // blocks are solved from the last on, so that x is then final in the step's later rows too.
  Index solved;
} SolveWait;

// The work of one work-group.  In the forward solve:
//
//   BLOCK   solves for y in rows [row, row_end), the rows of diagonal block `block`
//   ROWS    computes the update rows in [row, row_end), at most 64
//
// In the backward solve, for the pivot columns of diagonal block `block`:
//
//   BLOCK   solves for x.  Subtracts products with the update rows in [row, row_end); or, if
//           slot_begin < slot_end, the partial sums [slot_begin, slot_end) of these products
//   ROWS    computes partial sum `slot_begin`: the product with the update rows in [row, row_end)
//
// `row` is even.  If ncol is odd, the range of the first update rows begins at row = ncol - 1,
// which is no update row and is skipped.
enum { CLCHOL_SOLVE_BLOCK, CLCHOL_SOLVE_ROWS };
typedef struct SolveTicket {
  Index front;                 // Index of the front in the list of SolveFront.
  Index form;                  // CLCHOL_SOLVE_BLOCK or CLCHOL_SOLVE_ROWS.
  Index block;                 // Number of the diagonal block in the front.
  Index row, row_end;          // Range of rows, numbered in the front.
  Index slot_begin, slot_end;  // Range of partial sums, in the list of all partial sums.
  Index counter;               // Index of the counter of the block's partial sums that are ready.
} SolveTicket;

#ifdef __cplusplus
}  // namespace clchol::gpu
#endif
