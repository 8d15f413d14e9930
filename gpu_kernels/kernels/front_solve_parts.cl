// What a ticket of front_solve.cl is made of, in which order: those that copy L, those that bring
// x and those that multiply go through it side by side.  After front_solve_rooms.cl.

INLINE int num_blocks(__private const SolveFront* front) {
  return (front->ncol + BLOCK - 1) / BLOCK;
}
INLINE int width_of(__private const SolveFront* front, int block) {
  return min(BLOCK, front->ncol - block * BLOCK);
}

// A ticket multiplies by x: backward, of its update rows first; then of `before` diagonal blocks of
// its own front.  Where it solves a diagonal block, the inverse comes before the last of these when
// it is coupled, and is the last otherwise.
typedef struct Parts {
  bool is_block, coupled;
  int row_steps;  // Of up to 64 update rows.
  int before;
  int products;  // Before the inverse.
} Parts;

INLINE Parts parts_of(__private const SolveFront* front, __private const SolveTicket* ticket,
                      const bool transposed) {
  Parts parts;
  parts.is_block = ticket->form == CLCHOL_SOLVE_BLOCK;
  parts.row_steps = transposed ? (ticket->row_end - ticket->row + BLOCK - 1) / BLOCK : 0;
  if (transposed) {
    parts.before = parts.is_block ? num_blocks(front) - 1 - ticket->block : 0;
  } else {
    parts.before = parts.is_block ? ticket->block : num_blocks(front);
  }
  parts.coupled = parts.is_block && parts.before > 0 && front->couplings >= 0;
  parts.products = parts.row_steps + parts.before - parts.coupled;
  return parts;
}

// Rows of the front whose x a product is with.
typedef struct Step {
  Index row, end;
} Step;

// Number j: backward the last rows come first, as x gets final.
INLINE Step step_of(__private const SolveFront* front, __private const SolveTicket* ticket,
                    __private const Parts* parts, int j, const bool transposed) {
  Step step;
  if (j < parts->row_steps) {
    step.row = ticket->row + (parts->row_steps - 1 - j) * BLOCK;
    step.end = min(step.row + BLOCK, ticket->row_end);
  } else {
    const int k = j - parts->row_steps;
    step.row = (transposed ? num_blocks(front) - 1 - k : k) * BLOCK;
    step.end = min(step.row + BLOCK, front->ncol);
  }
  return step;
}

// Up to BLOCK x BLOCK entries at an even position.
typedef struct Block {
  __global const double* from;
  Offset ld;
  int rows, columns;
} Block;

// Block j: what the product of step j is with, which is the tile's part of a block column of L
// forward, rows of the ticket's block column backward; behind these the inverse, then the coupling.
// Every ticket has a block: those that copy count on it, see front_solve.cl.
INLINE int num_ticket_blocks(__private const Parts* parts) {
  return parts->products + parts->is_block + parts->coupled;
}
INLINE Block ticket_block(__private const Solve* solve, __private const SolveFront* front,
                          __private const SolveTicket* ticket, __private const Parts* parts, int j,
                          const bool transposed) {
  if (j < parts->products) {
    const Step step = step_of(front, ticket, parts, j, transposed);
    const Index row = transposed ? step.row : ticket->row;
    const Index end = transposed ? step.end : ticket->row_end;
    const int column = transposed ? ticket->block : j;
    const Block block = {
        solve->panels + front->panel + row + (Offset)column * BLOCK * front->ldp, front->ldp,
        end - row, width_of(front, column)};
    return block;
  }
  const int width = width_of(front, ticket->block);
  if (j == parts->products) {
    const Block inverse = {
        solve->inverses + front->inverses + (Offset)ticket->block * BLOCK * BLOCK, BLOCK, width,
        width};
    return inverse;
  }
  // Of two couplings, the second is with the pair's first block.
  const int number = transposed ? 2 * ticket->block + 1 : 2 * (ticket->block - 1);
  const Block coupling = {solve->inverses + front->couplings + (Offset)number * BLOCK * BLOCK,
                          BLOCK, transposed ? width_of(front, ticket->block + 1) : width, BLOCK};
  return coupling;
}

// ---- Tags ---------------------------------------------------------------------------------------

// x of pivot columns with the tag of the launch that has solved them: from one diagonal block to
// the next few there is no time for a counter that is looked at first.
typedef struct Chain {
  __global Offset* values;  // Two for each of RHS right-hand sides.
  Index tag;
} Chain;
// So many blocks before its own a ticket has from there: fewer groups look there all the time.
#define NEAR 4

INLINE __global Offset* tagged_at(__private const Chain* chain, Offset row, int side) {
  return chain->values + 2 * (row * RHS + side);
}
