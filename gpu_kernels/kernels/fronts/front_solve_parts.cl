// The blocks of L and of right-hand sides that a ticket of front_solve.cl needs, in order.  The
// warps that copy L, the warps that bring x and the warps that multiply go through the same order.
// Include front_solve_rooms.cl first.

INLINE int num_blocks(__private const SolveFront* front) {
  return (front->ncol + BLOCK - 1) / BLOCK;
}
INLINE int width_of(__private const SolveFront* front, int block) {
  return min(BLOCK, front->ncol - block * BLOCK);
}

// 1: spans may have several blocks.  A constant, so that launches without such spans do not pay for
// them.
#ifndef SPANS
#define SPANS 0
#endif
INLINE int span_of(__private const SolveFront* front) { return SPANS ? front->span : 1; }
INLINE Spans spans_of(__private const SolveFront* front) {
  const Spans spans = {front->inverses, front->couplings, span_of(front), num_blocks(front)};
  return spans;
}

// Numbers of products of a ticket.  First come products with x: backward in its update rows; then
// in diagonal blocks of its front, forward from the first on, backward from the last on.  A ticket
// that solves a diagonal block goes on with the inverse, with the other blocks W of its block row
// (backward: column) in the span, and with couplings to the span before (backward: after).
typedef struct Parts {
  bool is_block;  // The ticket solves a diagonal block.
  int row_steps;  // Number of products with up to 64 update rows each.
  int plain;      // Number of solved diagonal blocks before those that the ticket is coupled to.
  int coupled;    // Number of diagonal blocks that the ticket is coupled to.
  int inside;     // Number of other blocks of its span whose sums the ticket needs.
  int solved;     // Number of diagonal blocks of the front that are solved before the ticket's own.
  int products;   // Number of products before the product with the inverse.
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

// Rows [row, end) of the front: a product multiplies by x in these rows.
typedef struct Step {
  Index row, end;
} Step;

// Returns step j.  Backward the last rows come first, in the order in which x becomes final.
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

// A block of up to BLOCK x BLOCK entries at an even position in global memory.
typedef struct Block {
  __global const double* from;
  Offset ld;
  int rows, columns;
} Block;

// Number of blocks that the ticket multiplies by: blocks of L, the inverse, blocks of its span, and
// couplings.  It is at least 1, on which the copying warps rely: end_turn() of front_solve.cl.
INLINE int num_ticket_blocks(__private const Parts* parts) {
  return parts->products + parts->is_block + parts->inside + parts->coupled;
}
// Returns the m-th of the blocks of its span that the ticket needs sums of.
INLINE int inside_block(__private const SolveTicket* ticket, __private const Parts* parts, int m,
                        const bool transposed) {
  return transposed ? ticket->block + parts->inside - m : ticket->block - parts->inside + m;
}
// Returns the c-th of the blocks that the ticket's block is coupled to.
INLINE int coupled_block(__private const SolveFront* front, __private const Parts* parts, int c,
                         const bool transposed) {
  return transposed ? num_blocks(front) - 1 - parts->plain - c : parts->plain + c;
}
// Returns block j of the ticket.  Blocks of L come first: forward, the ticket's rows of block
// column j of L; backward, the rows of step j in the ticket's block column.
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

// Tagged rows: x in pivot columns, and sums of spans, with the tag of the launch that has computed
// them.  A reader needs no counter, which it would have to read first; so it gets x of the blocks
// just before its own sooner.
typedef struct Chain {
  __global Offset* values;  // Two words for each of RHS right-hand sides of a tagged row.
  Index tag;                // Tag of this launch.
} Chain;
// Number of blocks before its own that a ticket reads by tags; two spans where spans have several
// blocks.  Earlier blocks are read after their counter, so that fewer work-groups poll tagged rows.
#define NEAR 4
INLINE bool is_near(__private const SolveFront* front, __private const Parts* parts, int k) {
  const int near = span_of(front) > 1 ? 2 * span_of(front) : NEAR;
  return parts->is_block && parts->plain + parts->coupled - k <= near;
}

// Returns the address of the two words of a tagged row's right-hand side.
INLINE __global Offset* tagged_at(__private const Chain* chain, Offset row, int side) {
  return chain->values + 2 * (row * RHS + side);
}
