// What a ticket of front_solve.cl is made of, in which order: those that copy L, those that bring
// x and those that multiply go through it side by side.  After front_solve_rooms.cl.

INLINE int num_blocks(__private const SolveFront* front) {
  return (front->ncol + BLOCK - 1) / BLOCK;
}
INLINE int width_of(__private const SolveFront* front, int block) {
  return min(BLOCK, front->ncol - block * BLOCK);
}

// 1: spans may be wider than one block.  A constant, for what it costs where there are none.
#ifndef SPANS
#define SPANS 0
#endif
INLINE int span_of(__private const SolveFront* front) { return SPANS ? front->span : 1; }
INLINE Spans spans_of(__private const SolveFront* front) {
  const Spans spans = {front->inverses, front->couplings, span_of(front), num_blocks(front)};
  return spans;
}

// A ticket multiplies by x: backward, of its update rows first; then of diagonal blocks of its own
// front, forward from the first on, backward from the last on.  Where it solves a diagonal block,
// that is followed by the inverse, by what its span has in it of the sums of others, and by what
// couples it to the span before (backward: behind).
typedef struct Parts {
  bool is_block;
  int row_steps;  // Of up to 64 update rows.
  int plain;      // Diagonal blocks before those that the ticket is coupled to, ...
  int coupled;    // ... and these.
  int inside;     // Blocks of its span whose sums it needs.
  int solved;     // Diagonal blocks that are solved before its own.
  int products;   // Before the inverse.
} Parts;

INLINE Parts parts_of(__private const SolveFront* front, __private const SolveTicket* ticket,
                      const bool transposed) {
  Parts parts;
  const int blocks = num_blocks(front), b = ticket->block;
  parts.is_block = ticket->form == CLCHOL_SOLVE_BLOCK;
  parts.row_steps = transposed ? (ticket->row_end - ticket->row + BLOCK - 1) / BLOCK : 0;
  parts.coupled = parts.inside = parts.solved = 0;
  if (!parts.is_block) {
    parts.plain = transposed ? 0 : blocks;
  } else {
    parts.solved = transposed ? blocks - 1 - b : b;
    parts.plain = parts.solved;
    if (front->couplings >= 0) {
      const int span = span_of(front), begin = b - b % span, end = min(begin + span, blocks);
      parts.inside = transposed ? end - 1 - b : b - begin;
      parts.coupled = transposed ? min(span, blocks - end) : min(span, begin);
      parts.plain -= parts.inside + parts.coupled;
    }
  }
  parts.products = parts.row_steps + parts.plain;
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
// forward, rows of the ticket's block column backward; behind these the inverse, blocks of its span,
// couplings.  Every ticket has a block: those that copy count on it, see front_solve.cl.
INLINE int num_ticket_blocks(__private const Parts* parts) {
  return parts->products + parts->is_block + parts->inside + parts->coupled;
}
// Number m of the blocks of its span that a ticket has sums from.
INLINE int inside_block(__private const SolveTicket* ticket, __private const Parts* parts, int m,
                        const bool transposed) {
  return transposed ? ticket->block + parts->inside - m : ticket->block - parts->inside + m;
}
// Number c of the blocks that it is coupled to.
INLINE int coupled_block(__private const SolveFront* front, __private const Parts* parts, int c,
                         const bool transposed) {
  return transposed ? num_blocks(front) - 1 - parts->plain - c : parts->plain + c;
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
  const Spans spans = spans_of(front);
  const int own = ticket->block;
  int row = own, column = own;
  Offset at;
  j -= parts->products;
  if (j <= parts->inside) {
    const int other = j > 0 ? inside_block(ticket, parts, j - 1, transposed) : own;
    if (transposed) {
      row = other;
    } else {
      column = other;
    }
    at = inside_at(&spans, row, column);
  } else {
    const int other = coupled_block(front, parts, j - parts->inside - 1, transposed);
    if (transposed) {
      row = other;
      at = behind_at(&spans, row, column);
    } else {
      column = other;
      at = before_at(&spans, row, column);
    }
  }
  const Block block = {solve->inverses + at, BLOCK, width_of(front, row), width_of(front, column)};
  return block;
}

// ---- Tags ---------------------------------------------------------------------------------------

// x of pivot columns with the tag of the launch that has solved them: from one diagonal block to
// the next few there is no time for a counter that is looked at first.
typedef struct Chain {
  __global Offset* values;  // Two for each of RHS right-hand sides.
  Index tag;
} Chain;
// So many blocks before its own a ticket has from there, and in wider spans two spans: fewer groups
// look there all the time.
#define NEAR 4
INLINE bool is_near(__private const SolveFront* front, __private const Parts* parts, int k) {
  const int near = span_of(front) > 1 ? 2 * span_of(front) : NEAR;
  return parts->is_block && parts->plain + parts->coupled - k <= near;
}

INLINE __global Offset* tagged_at(__private const Chain* chain, Offset row, int side) {
  return chain->values + 2 * (row * RHS + side);
}
