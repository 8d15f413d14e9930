// Forward and backward solve with a forest of fronts, one launch each, up to RHS right-hand sides:
//
//   forward    w := [x1; 0] + sum over children, in order, of their update rows
//              x1 := L11^-1 w1,  update rows := w2 - L21 x1
//   backward   x1 := L11^-T (x1 - L21' x2)
//
// for fronts in tiles; subtree_solve.cl does the same with subtrees of small fronts.
//
//   operand    shape               storage                                          access
//   tickets    list of SolveTicket made by make_front_solve()                       read
//   partial    SLOT values each    workspace: partial sums of L21' x2               written, read
//   counters                       zero before                                      written, read
//   tagged     2 RHS for each pivot column of fronts in tiles; tags of this         written, read
//              launch nowhere before
//   waits      list of SolveWait, backward                                          read
//   ticket     1                   counter, zero before                             written, read
//   and those of solve_sides.cl
//
// Left-looking: one work-group has BLOCK = 64 rows of a front forward, 64 of its columns backward,
// and multiplies, block of 64 columns (rows) after block, by parts of x as they get ready.  With
// the inverted diagonal block, a solve is one product more; in fronts of many blocks that product
// is done before the last part of x is there, which is then multiplied by what couples the two
// blocks (couple_blocks.cl).  Sums are in an order that the lists alone decide.
//
// Four warps multiply.  Others draw the group's tickets and copy their blocks, in the order in
// which they are used, to STAGES rooms in local memory: so L is on its way while the group waits
// for x, and from ticket to ticket.  They are bulk copies, because loads of L would be in the way
// of the loads that look for x, which wait for all earlier ones of the compute unit.
//
// Work-groups draw tickets in the order of the list, in which a ticket depends on earlier ones
// alone; they wait in a loop for lower tickets, so the device must have passed the probe of forward
// progress.
//
// Counters of a front: how many diagonal blocks are solved, from the first on forward, from the
// last on backward; how many update tiles its children have written.
//
// Work-groups of GROUP = 128 that multiply and 32 COPIERS behind them; local memory
// BLOCK (STAGES LD + 3 LD_SIDES) values.
#include "solve_sides.cl"
// Those that multiply meet without the others.
#define MEET() named_barrier(1, GROUP)
#define MEET_WRITTEN() MEET()
#include "waiting.cl"

#ifndef STAGES
#define STAGES 3
#endif
#define COPIERS 2  // Warps that copy.
#define BLOCK 64
#define STEPS (BLOCK / 8)  // Instructions of a warp for a block and eight right-hand sides.
// Leading dimensions in local memory, against bank conflicts: of blocks, whose entries are read as
// load_step() of solve_sides.cl says, and of right-hand sides.
#define LD_FORWARD (BLOCK + 4)
#define LD_BACKWARD (BLOCK + 8)
#define LD_SIDES (RHS < 4 ? RHS : RHS + 4)
#define SLOT (GROUP * SIDE_BLOCKS * 4)

typedef struct Rooms {
  __local double* sums;   // BLOCK x RHS, by rows.
  __local double* terms;  // Two of them, used in turn.
  __local int* least;
} Rooms;

// Two sums, so that instructions need not wait for each other.
typedef struct Sums {
  double c[2][SIDE_BLOCKS][4];
} Sums;

#define OWN_WARP ((int)get_local_id(0) / 32)

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

// ---- Blocks -------------------------------------------------------------------------------------

// Up to BLOCK x BLOCK entries at an even position.
typedef struct Block {
  __global const double* from;
  Offset ld;
  int rows, columns;
} Block;

// Rooms for blocks, used in turn.
typedef struct Ring {
  __local double* rooms;         // BLOCK columns each, ld apart.
  __local BulkBarrier* arrived;  // Of each room: its block is there, ...
  __local BulkBarrier* used;     // ... and used up.
  int ld;
  int blocks;  // That the work-item has brought or used, since the work-group began.
} Ring;

INLINE Ring make_ring(__local double* rooms, __local BulkBarrier* barriers, int ld) {
  if (get_local_id(0) == 0) {
    for (int k = 0; k < STAGES; ++k) {
      bulk_init(barriers + k, COPIERS);
      bulk_init(barriers + STAGES + k, WARPS);
    }
  }
  const Ring ring = {rooms, barriers, barriers + STAGES, ld, 0};
  return ring;
}

// Begins to copy a block, when a room is free: each copying warp some of its columns.
INLINE void bring_block(__private Ring* ring, const Block block) {
  const int room = ring->blocks % STAGES;
  bulk_wait(ring->used + room, ring->blocks / STAGES % 2 ^ 1);
  ++ring->blocks;
  if (!elected()) return;
  const int begin = BLOCK / COPIERS * ((int)(get_local_id(0) - GROUP) / 32);
  const int columns = clamp(block.columns - begin, 0, BLOCK / COPIERS);
  const int bytes = max(block.rows + 1, 0) / 2 * 16;
  __local BulkBarrier* const arrived = ring->arrived + room;
  bulk_expect(arrived, columns * bytes);
  if (bytes == 0) return;
  LocalAddress to =
      local_address(ring->rooms) + (room * BLOCK + begin) * ring->ld * (int)sizeof(double);
  __global const double* from = block.from + begin * block.ld;
#pragma unroll 8
  for (int c = 0; c < columns; ++c) {
    bulk_copy(to, from, bytes, arrived);
    to += ring->ld * (int)sizeof(double);
    from += block.ld;
  }
}

// ---- Products -----------------------------------------------------------------------------------

INLINE void set_zero(__private Sums* sums) {
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) sums->c[0][n][e] = sums->c[1][n][e] = 0;
  }
}
INLINE void fold(__private Sums* sums) {
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) sums->c[0][n][e] += sums->c[1][n][e];
  }
}

INLINE void load_terms(__private double b[2], __local const double* terms, int s, int side_block,
                       const bool transposed) {
  const int side = 8 * side_block + LANE_G;
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    b[q] = side < RHS ? terms[(8 * s + term_row(q, transposed)) * LD_SIDES + side] : 0.0;
  }
}

// Step s of a block, as load_step() of solve_sides.cl has it; zeros for terms that are not there.
INLINE void read_step(__private double a[4], __local const double* block, int ld, int s, int terms,
                      const bool transposed) {
  const int row = transposed ? 8 * s + 2 * LANE_T : 16 * OWN_WARP + 2 * LANE_G;
  const int column = transposed ? 16 * OWN_WARP + LANE_G : 8 * s + LANE_T;
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const double2 two =
        *(__local const double2*)(block + row + (column + (transposed ? 8 : 4) * q) * ld);
    a[2 * q] = (transposed ? row : column + 4 * q) < terms ? two.x : 0.0;
    a[2 * q + 1] = (transposed ? row + 1 : column + 4 * q) < terms ? two.y : 0.0;
  }
}

INLINE void multiply_steps(__private Sums* sums, __local const double* block, int ld,
                           __local const double* terms, int count, const bool transposed) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    double a[4];
    read_step(a, block, ld, s, count, transposed);
#pragma unroll
    for (int n = 0; n < SIDE_BLOCKS; ++n) {
      double b[2];
      load_terms(b, terms, s, n, transposed);
      multiply_loaded(sums->c[s % 2][n], a, b, transposed);
    }
  }
}
// sums += the next block, or its transpose, * terms, so many of them.
INLINE void multiply_block(__private Sums* sums, __private Ring* ring, __local const double* terms,
                           int count, const bool transposed) {
  const int room = ring->blocks % STAGES;
  bulk_wait(ring->arrived + room, ring->blocks / STAGES % 2);
  ++ring->blocks;
  const int ld = transposed ? LD_BACKWARD : LD_FORWARD;
  __local const double* const block = ring->rooms + room * BLOCK * ld;
  if (count == BLOCK) {
    multiply_steps(sums, block, ld, terms, BLOCK, transposed);
  } else {
    multiply_steps(sums, block, ld, terms, count, transposed);
  }
  warp_barrier();
  if (get_local_id(0) % 32 == 0) bulk_arrive(ring->used + room);
}

// ---- Right-hand sides ---------------------------------------------------------------------------

// Rows of 64 that a work-item brings to local memory, all of one right-hand side.
#define ROWS_AT_ONCE (GROUP / RHS)
#define OWN_ROWS ((BLOCK + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE)
#define OWN_SIDE ((int)get_local_id(0) % RHS)
INLINE int own_row(int u) { return (int)get_local_id(0) / RHS + u * ROWS_AT_ONCE; }

INLINE void store_rows(__local double* to, __private const double v[OWN_ROWS]) {
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    if (own_row(u) < BLOCK) to[own_row(u) * LD_SIDES + OWN_SIDE] = v[u];
  }
}

// Work-items without a row or a right-hand side of their own load one that is there: a condition
// around each load would wait for it before the next one.
INLINE int side_to_load(__private const Solve* solve) { return min(OWN_SIDE, solve->count - 1); }

// Rows of 64 that are not among [begin, end) become zero.
INLINE void clear_rows(__private double v[OWN_ROWS], __private const Solve* solve, int begin,
                       int end) {
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    if (own_row(u) < begin || own_row(u) >= end || OWN_SIDE >= solve->count) v[u] = 0;
  }
}

// to := `rows` rows of x from `row` on, zeros behind them.
INLINE void bring_rows(__local double* to, __private const Solve* solve, Index row, int rows) {
  double v[OWN_ROWS];
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    v[u] = row_of_x(solve, row + min(own_row(u), rows - 1))[side_to_load(solve)];
  }
  clear_rows(v, solve, 0, rows);
  store_rows(to, v);
}

// Where x has the front's update rows among those from `row` to `end`.
INLINE void find_rows(__private Index from[OWN_ROWS], __private const Solve* solve,
                      __private const SolveFront* front, Index row, Index end) {
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    from[u] = solve->rowind[front->rows + clamp(row + own_row(u), front->ncol, end - 1)];
  }
}
// to := x there, zeros in the rows before and behind.
INLINE void gather_rows(__local double* to, __private const Solve* solve,
                        __private const SolveFront* front, __private const Index from[OWN_ROWS],
                        Index row, Index end) {
  double v[OWN_ROWS];
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) v[u] = row_of_x(solve, from[u])[side_to_load(solve)];
  clear_rows(v, solve, front->ncol - row, end - row);
  store_rows(to, v);
}

// The same from one of the blocks that come right before; waits until it is solved.
INLINE void bring_tagged(__local double* to, __private const Solve* solve,
                         __private const Chain* chain, Index row, int rows) {
  double v[OWN_ROWS];
  for (;;) {
    int present = 1;
#pragma unroll
    for (int u = 0; u < OWN_ROWS; ++u) {
      const Index i = min(own_row(u), rows - 1);
      present &= load_tagged(&v[u], tagged_at(chain, row + i, side_to_load(solve)), chain->tag);
    }
    if (present) break;
  }
  clear_rows(v, solve, 0, rows);
  store_rows(to, v);
}

// ---- Waiting ------------------------------------------------------------------------------------

// After `before` of the front's diagonal blocks one more is solved.  Whoever sees the counter sees
// all of them, so it waits for the one before.
INLINE void publish(__global int* counter, int before) {
  MEET();
  if (get_local_id(0) != 0) return;
  while (load_acquire(counter) < before) pause_briefly();
  store_release(counter, before + 1);
}

INLINE int num_blocks(__private const SolveFront* front) {
  return (front->ncol + BLOCK - 1) / BLOCK;
}
INLINE int width_of(__private const SolveFront* front, int block) {
  return min(BLOCK, front->ncol - block * BLOCK);
}

// What a ticket multiplies: first by x of `before` diagonal blocks of its own front, or by other
// rows too; then, where it solves a diagonal block, the inverse; then, where it is coupled to the
// last of these blocks, which is not among the products, the coupling.
typedef struct Parts {
  bool is_block, coupled;
  int before;
  int products;  // Before the inverse.
} Parts;

// ---- What a BLOCK ends with ---------------------------------------------------------------------

// sums := inverse (v - sums), or with its transpose; v lies in local memory, the inverse is the
// next block.
INLINE void solve_block(__private Sums* sums, int width, __private Ring* ring,
                        __private const Rooms* rooms, const bool transposed) {
  fold(sums);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = 16 * OWN_WARP + result_row(e, transposed), side = result_side(n, e);
      if (side < RHS) {
        __local double* const v = rooms->sums + i * LD_SIDES + side;
        *v = i < width ? *v - sums->c[0][n][e] : 0.0;
      }
    }
  }
  MEET();
  set_zero(sums);
  multiply_block(sums, ring, rooms->sums, BLOCK, transposed);
  fold(sums);
}

// result -= coupling * x of the neighbouring block, or with its transpose, where `terms` has room.
INLINE void couple(__private Sums* result, __private const Solve* solve,
                   __private const Chain* chain, Index neighbour, int rows, __private Ring* ring,
                   __local double* terms, const bool transposed) {
  bring_tagged(terms, solve, chain, neighbour, rows);
  MEET();
  Sums sums;
  set_zero(&sums);
  multiply_block(&sums, ring, terms, BLOCK, transposed);
  fold(&sums);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) result->c[0][n][e] -= sums.c[0][n][e];
  }
}

// x := result in the rows of a diagonal block.
INLINE void store_block(__private const Solve* solve, __private const Chain* chain,
                        __private const SolveFront* front, int block, __private const Sums* result,
                        const bool transposed) {
  const int width = width_of(front, block);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = 16 * OWN_WARP + result_row(e, transposed), side = result_side(n, e);
      if (side < RHS && i < width && side < solve->count) {
        store_tagged(tagged_at(chain, front->solved + block * BLOCK + i, side), result->c[0][n][e],
                     chain->tag);
        row_of_x(solve, front->first_column + block * BLOCK + i)[side] = result->c[0][n][e];
      }
    }
  }
}

// The inverse of a diagonal block; what it is coupled to the one before by, `second` of the two.
INLINE Block inverse_of(__private const Solve* solve, __private const SolveFront* front,
                        int diagonal) {
  const Block block = {solve->inverses + front->inverses + (Offset)diagonal * BLOCK * BLOCK, BLOCK,
                       BLOCK, BLOCK};
  return block;
}
INLINE Block coupling_of(__private const Solve* solve, __private const SolveFront* front,
                         int diagonal, int second) {
  const Offset place = front->couplings + (Offset)(2 * (diagonal - 1) + second) * BLOCK * BLOCK;
  const Block block = {solve->inverses + place, BLOCK, BLOCK, BLOCK};
  return block;
}

// ---- Forward ------------------------------------------------------------------------------------

// Where the children's entries of a work-item's rows stand.
typedef struct SourceRange {
  Index begin[OWN_ROWS], end[OWN_ROWS];
} SourceRange;

INLINE SourceRange find_sources(__private const Solve* solve, __private const SolveFront* front,
                                Index row, Index row_begin, Index row_end) {
  SourceRange range;
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    const Index i = row + own_row(u);
    range.begin[u] = range.end[u] = 0;
    if (own_row(u) < BLOCK && i >= row_begin && i < row_end && OWN_SIDE < solve->count) {
      range.begin[u] = solve->source_ptr[front->rows + i];
      range.end[u] = solve->source_ptr[front->rows + i + 1];
    }
  }
  return range;
}

// v += the children's entries, all rows of the work-item side by side.
INLINE void add_sources(__private double v[OWN_ROWS], __private const Solve* solve,
                        __private SourceRange* range) {
#pragma unroll 1
  for (;;) {
    double entry[OWN_ROWS];
    int more = 0;
#pragma unroll
    for (int u = 0; u < OWN_ROWS; ++u) {
      entry[u] = 0;
      if (range->begin[u] < range->end[u]) {
        entry[u] = row_of_vectors(solve, solve->sources[range->begin[u]])[OWN_SIDE];
        ++range->begin[u];
        more = 1;
      }
    }
    if (!more) break;
#pragma unroll
    for (int u = 0; u < OWN_ROWS; ++u) v[u] += entry[u];
  }
}

// Block k of a ticket: the tile's part of the block column of diagonal block k; behind these the
// inverse, then the coupling.
INLINE Block forward_block(__private const Solve* solve, __private const SolveFront* front,
                           __private const SolveTicket* ticket, int k, int products) {
  if (k < products) {
    const Block block = {
        solve->panels + front->panel + ticket->row + (Offset)k * BLOCK * front->ldp, front->ldp,
        ticket->row_end - ticket->row, width_of(front, k)};
    return block;
  }
  return k == products ? inverse_of(solve, front, ticket->block)
                       : coupling_of(solve, front, ticket->block, 0);
}

INLINE Parts forward_parts(__private const SolveFront* front,
                           __private const SolveTicket* ticket) {
  const bool is_block = ticket->form == CLCHOL_SOLVE_BLOCK;
  const bool coupled = is_block && ticket->block > 0 && front->couplings >= 0;
  const int before = is_block ? ticket->block : num_blocks(front);
  const Parts parts = {is_block, coupled, before, before - coupled};
  return parts;
}
// All blocks of a ticket, in the order in which forward_ticket() uses them.
INLINE void bring_forward(__private const Solve* solve, const SolveTicket ticket,
                          const SolveFront front, __private Ring* ring) {
  const Parts parts = forward_parts(&front, &ticket);
#pragma unroll 1
  for (int k = 0; k < parts.products + parts.is_block + parts.coupled; ++k) {
    bring_block(ring, forward_block(solve, &front, &ticket, k, parts.products));
  }
}

INLINE void store_update(__private const Solve* solve, __private const SolveFront* front,
                         __private const SolveTicket* ticket, __private Sums* sums,
                         __local const double* v) {
  fold(sums);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = 16 * OWN_WARP + result_row(e, false), side = result_side(n, e);
      const Index row = ticket->row + i;
      if (row >= front->ncol && row < ticket->row_end && side < solve->count) {
        row_of_vectors(solve, front->vector + row - front->ncol)[side] =
            v[i * LD_SIDES + side] - sums->c[0][n][e];
      }
    }
  }
}

INLINE void forward_ticket(__private const Solve* solve, const SolveTicket ticket,
                           const SolveFront front, __private const Chain* chain,
                           __private const Rooms* rooms, __private Ring* ring,
                           __global int* counters) {
  const Parts parts = forward_parts(&front, &ticket);
  const bool is_block = parts.is_block;
  SourceRange range =
      find_sources(solve, &front, ticket.row, is_block ? ticket.row : front.ncol, ticket.row_end);
  double v[OWN_ROWS];
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    const Index i = ticket.row + own_row(u);
    v[u] = is_block && i < ticket.row_end && own_row(u) < BLOCK && OWN_SIDE < solve->count
               ? row_of_x(solve, front.first_column + i)[OWN_SIDE]
               : 0.0;
  }
  if (front.expected > 0) wait_for(counters + front.progress + 1, front.expected - 1, rooms->least);
  add_sources(v, solve, &range);
  store_rows(rooms->sums, v);
  MEET();

  Sums sums;
  set_zero(&sums);
  int ready = 0;
#pragma unroll 1
  for (int k = 0; k < parts.products; ++k) {
    __local double* const terms = rooms->terms + k % 2 * BLOCK * LD_SIDES;
    if (is_block && parts.before - k <= NEAR) {
      bring_tagged(terms, solve, chain, front.solved + k * BLOCK, BLOCK);
    } else {
      if (k >= ready) ready = wait_for(counters + front.progress, k, rooms->least);
      bring_rows(terms, solve, front.first_column + k * BLOCK, width_of(&front, k));
    }
    MEET();
    multiply_block(&sums, ring, terms, width_of(&front, k), false);
  }

  if (is_block) {
    solve_block(&sums, width_of(&front, ticket.block), ring, rooms, false);
    if (parts.coupled) {
      const int last = parts.products;
      couple(&sums, solve, chain, front.solved + last * BLOCK, BLOCK, ring,
             rooms->terms + last % 2 * BLOCK * LD_SIDES, false);
    }
    store_block(solve, chain, &front, ticket.block, &sums, false);
    publish(counters + front.progress, parts.before);
  } else {
    store_update(solve, &front, &ticket, &sums, rooms->sums);
    if (front.parent >= 0) arrive(counters + front.parent + 1);
  }
}

// ---- Backward -----------------------------------------------------------------------------------

// Rows that a ticket multiplies by, in steps of up to 64: its update rows, then those of the
// diagonal blocks behind its own, the last ones first, as x gets final.
typedef struct Step {
  Index row, end;
  SolveWait wait;  // Of update rows.
} Step;

// Of the 64 update rows that begin at `row`; `waits` are the front's.
INLINE SolveWait wait_of(__private const SolveFront* front, __global const SolveWait* waits,
                         Index row) {
  return waits[(row - front->ncol / 2 * 2) / BLOCK];
}

INLINE int num_row_steps(__private const SolveTicket* ticket) {
  return (ticket->row_end - ticket->row + BLOCK - 1) / BLOCK;
}
INLINE Step step_of(__private const SolveFront* front, __private const SolveTicket* ticket,
                    int j) {
  const int row_steps = num_row_steps(ticket);
  Step step;
  step.wait.counter = -1;
  if (j < row_steps) {
    step.row = ticket->row + (row_steps - 1 - j) * BLOCK;
    step.end = min(step.row + BLOCK, ticket->row_end);
  } else {
    step.row = (num_blocks(front) - 1 - (j - row_steps)) * BLOCK;
    step.end = min(step.row + BLOCK, front->ncol);
  }
  return step;
}

// Block j of a ticket: what is multiplied by the rows of step j; behind these the inverse, then the
// coupling.
INLINE Block backward_block(__private const Solve* solve, __private const SolveFront* front,
                            __private const SolveTicket* ticket, int j, int products) {
  if (j < products) {
    const Step step = step_of(front, ticket, j);
    const Block block = {
        solve->panels + front->panel + step.row + (Offset)ticket->block * BLOCK * front->ldp,
        front->ldp, step.end - step.row, width_of(front, ticket->block)};
    return block;
  }
  return j == products ? inverse_of(solve, front, ticket->block)
                       : coupling_of(solve, front, ticket->block + 1, 1);
}
INLINE Parts backward_parts(__private const SolveFront* front,
                            __private const SolveTicket* ticket) {
  const bool is_block = ticket->form == CLCHOL_SOLVE_BLOCK;
  const int behind = is_block ? num_blocks(front) - 1 - ticket->block : 0;
  const bool coupled = behind > 0 && front->couplings >= 0;
  const Parts parts = {is_block, coupled, behind, num_row_steps(ticket) + behind - coupled};
  return parts;
}
// All blocks of a ticket, in the order in which backward_ticket() uses them.
INLINE void bring_backward(__private const Solve* solve, const SolveTicket ticket,
                           const SolveFront front, __private Ring* ring) {
  const Parts parts = backward_parts(&front, &ticket);
#pragma unroll 1
  for (int j = 0; j < parts.products + parts.is_block + parts.coupled; ++j) {
    bring_block(ring, backward_block(solve, &front, &ticket, j, parts.products));
  }
}

// What is known of the fronts above: that all rows of the ticket are final, or how many blocks are
// solved of the front that `counter` is of.
typedef struct Watch {
  int all;
  Index counter, solved;
} Watch;

// A look at what the first of the ticket's rows wait for: they are final last.
INLINE Watch begin_watch(const SolveWait first, __global const int* counters,
                         __local int* least) {
  Watch watch = {1, first.counter, 0};
  if (first.counter >= 0) {
    watch.solved = wait_for(counters + first.counter, -1, least);
    watch.all = watch.solved >= first.solved;
    MEET();  // All have read what the next wait overwrites.
  }
  return watch;
}
INLINE void wait_for_step(__private Watch* watch, const SolveWait wait,
                          __global const int* counters, __local int* least) {
  const bool known = wait.counter == watch->counter && watch->solved >= wait.solved;
  if (watch->all || wait.counter < 0 || known) return;
  watch->counter = wait.counter;
  watch->solved = wait_for(counters + wait.counter, wait.solved - 1, least);
}

// Partial sums lie as the work-items have them.
INLINE void add_slots(__private Sums* sums, __global const double* partial, int begin, int end) {
#pragma unroll 2
  for (int p = begin; p < end; ++p) {
#pragma unroll
    for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        sums->c[0][n][e] += partial[(Offset)p * SLOT + (4 * n + e) * GROUP + get_local_id(0)];
      }
    }
  }
}
INLINE void store_slot(__global double* partial, int slot, __private Sums* sums) {
  fold(sums);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      partial[(Offset)slot * SLOT + (4 * n + e) * GROUP + get_local_id(0)] = sums->c[0][n][e];
    }
  }
}

// Whether registers hold where the next step's rows are while a step goes on.
#define ROWS_AHEAD (OWN_ROWS <= 2)

INLINE void backward_ticket(__private const Solve* solve, const SolveTicket ticket,
                            const SolveFront front, __global const SolveWait* all_waits,
                            __private const Chain* chain, __private const Rooms* rooms,
                            __private Ring* ring, __global double* partial,
                            __global int* counters) {
  __global const SolveWait* const waits = all_waits + front.waits;
  const Parts parts = backward_parts(&front, &ticket);
  const bool is_block = parts.is_block;
  const int width = width_of(&front, ticket.block);
  const int row_steps = num_row_steps(&ticket);
  Step step = step_of(&front, &ticket, 0);
  if (row_steps > 0) step.wait = wait_of(&front, waits, step.row);
  Index from[OWN_ROWS];
  if (ROWS_AHEAD && row_steps > 0) find_rows(from, solve, &front, step.row, step.end);
  if (is_block) {
    bring_rows(rooms->sums, solve, front.first_column + ticket.block * BLOCK, width);
  }
  Watch watch = {1, -1, 0};
  if (row_steps > 0) {
    watch = begin_watch(wait_of(&front, waits, ticket.row), counters, rooms->least);
  }

  Sums sums;
  set_zero(&sums);
  const int slots = is_block ? ticket.slot_end - ticket.slot_begin : 0;
  if (slots > 0) {
    wait_for(counters + ticket.counter, slots - 1, rooms->least);
    add_slots(&sums, partial, ticket.slot_begin, ticket.slot_end);
  }
  int ready = 0;
#pragma unroll 1
  for (int j = 0; j < parts.products; ++j) {
    __local double* const terms = rooms->terms + j % 2 * BLOCK * LD_SIDES;
    if (j < row_steps) {
      wait_for_step(&watch, step.wait, counters, rooms->least);
      if (!ROWS_AHEAD) find_rows(from, solve, &front, step.row, step.end);
      gather_rows(terms, solve, &front, from, step.row, step.end);
    } else {
      const int before = j - row_steps;
      if (parts.before - before <= NEAR) {
        bring_tagged(terms, solve, chain, front.solved + step.row, step.end - step.row);
      } else {
        if (before >= ready) ready = wait_for(counters + front.progress, before, rooms->least);
        bring_rows(terms, solve, front.first_column + step.row, step.end - step.row);
      }
    }
    MEET();
    const int rows = step.end - step.row;
    step = step_of(&front, &ticket, j + 1);
    if (j + 1 < row_steps) step.wait = wait_of(&front, waits, step.row);
    if (ROWS_AHEAD && j + 1 < row_steps) find_rows(from, solve, &front, step.row, step.end);
    multiply_block(&sums, ring, terms, rows, true);
  }

  if (is_block) {
    MEET();
    solve_block(&sums, width, ring, rooms, true);
    if (parts.coupled) {
      const int next = ticket.block + 1;
      couple(&sums, solve, chain, front.solved + next * BLOCK, width_of(&front, next), ring,
             rooms->terms + parts.products % 2 * BLOCK * LD_SIDES, true);
    }
    store_block(solve, chain, &front, ticket.block, &sums, true);
    publish(counters + front.progress, parts.before);
  } else {
    store_slot(partial, ticket.slot_begin, &sums);
    arrive(counters + ticket.counter);
  }
}

// ---- Tickets ------------------------------------------------------------------------------------

// The group's tickets, in turn: those that copy draw one when they have begun to copy all blocks of
// the one before, so L is on its way from ticket to ticket too.
typedef struct Drawn {
  SolveFront front;
  SolveTicket ticket;
  int present;
  int padding;
} Drawn;

typedef struct Turns {
  __local Drawn* drawn;          // Two, used in turn.
  __local BulkBarrier* ready;    // Of each: it is drawn, ...
  __local BulkBarrier* done;     // ... and done.
  int turn;
} Turns;

INLINE Turns make_turns(__local Drawn* drawn, __local BulkBarrier* barriers) {
  if (get_local_id(0) == 0) {
    for (int k = 0; k < 2; ++k) {
      bulk_init(barriers + k, 1);
      bulk_init(barriers + 2 + k, WARPS);
    }
  }
  const Turns turns = {drawn, barriers, barriers + 2, 0};
  return turns;
}

// By those that copy.
INLINE void draw(__private const Turns* turns, __private const Solve* solve, int num_tickets,
                 __global const SolveTicket* tickets, __global int* ticket) {
  const int place = turns->turn % 2;
  bulk_wait(turns->done + place, turns->turn / 2 % 2 ^ 1);
  if (get_local_id(0) != GROUP) return;
  const int number = atomic_inc(ticket);
  __local Drawn* const to = turns->drawn + place;
  to->present = number < num_tickets;
  if (number < num_tickets) {
    const SolveTicket drawn = tickets[number];
    to->ticket = drawn;
    to->front = solve->fronts[drawn.front];
  }
  bulk_arrive(turns->ready + place);
}
// The turn's ticket; not present where there are no more.
INLINE __local const Drawn* take(__private const Turns* turns) {
  bulk_wait(turns->ready + turns->turn % 2, turns->turn / 2 % 2);
  return turns->drawn + turns->turn % 2;
}
// Those that multiply meet: the next ticket writes where others may still read for this one.
INLINE void end_turn(__private Turns* turns) {
  if (get_local_id(0) < GROUP) {
    MEET();
    if (get_local_id(0) % 32 == 0) bulk_arrive(turns->done + turns->turn % 2);
  }
  ++turns->turn;
}

// ---- Kernels ------------------------------------------------------------------------------------

#define ROOMS(ld)                                     \
  LOCAL_ARRAY(double, stages, STAGES * BLOCK * (ld)); \
  LOCAL_ARRAY(BulkBarrier, barriers, 2 * STAGES + 4); \
  LOCAL_ARRAY(double, sums, BLOCK * LD_SIDES);        \
  LOCAL_ARRAY(double, terms, 2 * BLOCK * LD_SIDES);   \
  LOCAL_ARRAY(Drawn, drawn, 2);                       \
  LOCAL_ARRAY(int, shared, 1);                        \
  const Rooms rooms = {sums, terms, shared};          \
  Ring ring = make_ring(stages, barriers, ld);        \
  Turns turns = make_turns(drawn, barriers + 2 * STAGES)

#define CHAIN_PARAMETERS __global Offset *tagged, Offset tagged_offset, Index tag

// Any number of work-groups, as many as run at once: each draws tickets until there are no more.
// (Without a required work-group size, so that the driver's limit of registers acts.)
__kernel void front_solve_forward(SOLVE_PARAMETERS, Index num_tickets,
                                  __global const SolveTicket* tickets, Offset tickets_offset,
                                  __global int* counters, Offset counters_offset,
                                  __global int* ticket, Offset ticket_offset,
                                  CHAIN_PARAMETERS) {
  ROOMS(LD_FORWARD);
  const Solve solve = SOLVE;
  const Chain chain = {tagged + tagged_offset, tag};
  LOCAL_BARRIER();
  const bool copies = get_local_id(0) >= GROUP;
  for (;;) {
    if (copies) draw(&turns, &solve, num_tickets, tickets + tickets_offset, ticket + ticket_offset);
    __local const Drawn* const own = take(&turns);
    if (!own->present) break;
    if (copies) {
      bring_forward(&solve, own->ticket, own->front, &ring);
    } else {
      forward_ticket(&solve, own->ticket, own->front, &chain, &rooms, &ring,
                     counters + counters_offset);
    }
    end_turn(&turns);
  }
}

__kernel void front_solve_backward(SOLVE_PARAMETERS, Index num_tickets,
                                   __global const SolveTicket* tickets, Offset tickets_offset,
                                   __global int* counters, Offset counters_offset,
                                   __global int* ticket, Offset ticket_offset,
                                   CHAIN_PARAMETERS, __global double* partial,
                                   Offset partial_offset, __global const SolveWait* waits,
                                   Offset waits_offset) {
  ROOMS(LD_BACKWARD);
  const Solve solve = SOLVE;
  const Chain chain = {tagged + tagged_offset, tag};
  LOCAL_BARRIER();
  const bool copies = get_local_id(0) >= GROUP;
  for (;;) {
    if (copies) draw(&turns, &solve, num_tickets, tickets + tickets_offset, ticket + ticket_offset);
    __local const Drawn* const own = take(&turns);
    if (!own->present) break;
    if (copies) {
      bring_backward(&solve, own->ticket, own->front, &ring);
    } else {
      backward_ticket(&solve, own->ticket, own->front, waits + waits_offset, &chain, &rooms, &ring,
                      partial + partial_offset, counters + counters_offset);
    }
    end_turn(&turns);
  }
}
