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
//   waits      list of SolveWait, backward                                          read
//   ticket     1                   counter, zero before                             written, read
//   and those of solve_sides.cl
//
// Left-looking: one work-group has BLOCK = 64 rows of a front forward, 64 of its columns backward,
// and multiplies, block of 64 columns (rows) after block, by parts of x as they get ready.  A block
// of L is in the work-group's registers; while it is multiplied, loads of the next one follow, so
// that L is on its way while the group waits for x.  With the inverted diagonal block, a solve is
// one product more.  Sums are in an order that the lists alone decide.
//
// Work-groups draw tickets in the order of the list, in which a ticket depends on earlier ones
// alone; they wait in a loop for lower tickets, so the device must have passed the probe of forward
// progress.
//
// Counters of a front: how many diagonal blocks are solved, from the first on forward, from the
// last on backward; how many update tiles its children have written.
//
// Work-groups of GROUP = 128; local memory BLOCK (LD_INVERSE + 3 LD_SIDES) values.
#include "solve_sides.cl"
#include "waiting.cl"

#define BLOCK 64
#define STEPS (BLOCK / 8)  // Instructions of a warp for a block and eight right-hand sides.
// Leading dimensions in local memory, against bank conflicts.
#define LD_INVERSE (BLOCK + 4)
#define LD_SIDES (RHS < 4 ? RHS : RHS + 4)
#define SLOT (GROUP * SIDE_BLOCKS * 4)

typedef struct Rooms {
  __local double* inverse;  // BLOCK x BLOCK, by columns.
  __local double* sums;     // BLOCK x RHS, by rows.
  __local double* terms;    // Two of them, used in turn.
  __local int* least;
} Rooms;

// A block of L, the warp's part of it.
typedef struct Block {
  double a[STEPS][4];
} Block;

// Two sums, so that instructions need not wait for each other.
typedef struct Sums {
  double c[2][SIDE_BLOCKS][4];
} Sums;

#define OWN_WARP (get_local_id(0) / 32)

// ---- Products -----------------------------------------------------------------------------------

// Before the first block, so that what no block has is a number.
INLINE void clear_block(__private Block* block) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    block->a[s][0] = block->a[s][1] = block->a[s][2] = block->a[s][3] = 0;
  }
}
INLINE void load_block(__private Block* block, __private const Source* source,
                       const bool transposed) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) load_step(block->a[s], source, s, transposed);
}

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

// sums += block * terms; the block's registers take the next one.
INLINE void multiply_block(__private Sums* sums, __private Block* block,
                           __local const double* terms, __private const Source* next,
                           const bool transposed) {
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
#pragma unroll
    for (int n = 0; n < SIDE_BLOCKS; ++n) {
      double b[2];
      load_terms(b, terms, s, n, transposed);
      multiply_loaded(sums->c[s % 2][n], block->a[s], b, transposed);
    }
    load_step(block->a[s], next, s, transposed);
  }
}

// sums := the inverse, or its transpose, * terms.
INLINE void multiply_inverse(__private Sums* sums, __local const double* inverse,
                             __local const double* terms, const bool transposed) {
  set_zero(sums);
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    double a[4];
    if (transposed) {
      __local const double* const at =
          inverse + (16 * OWN_WARP + LANE_G) * LD_INVERSE + 8 * s + 2 * LANE_T;
      const double2 p = *(__local const double2*)at;
      const double2 q = *(__local const double2*)(at + 8 * LD_INVERSE);
      a[0] = p.x;
      a[1] = q.x;
      a[2] = p.y;
      a[3] = q.y;
    } else {
      __local const double* const at =
          inverse + (8 * s + LANE_T) * LD_INVERSE + 16 * OWN_WARP + 2 * LANE_G;
      const double2 p = *(__local const double2*)at;
      const double2 q = *(__local const double2*)(at + 4 * LD_INVERSE);
      a[0] = p.x;
      a[1] = p.y;
      a[2] = q.x;
      a[3] = q.y;
    }
#pragma unroll
    for (int n = 0; n < SIDE_BLOCKS; ++n) {
      double b[2];
      load_terms(b, terms, s, n, transposed);
      mma_m16n8k8(sums->c[s % 2][n], a, b);
    }
  }
  fold(sums);
}

// A pass takes so many columns; one pass is a constant distance from the next.
#define COLUMNS_AT_ONCE (2 * GROUP / BLOCK)
INLINE void copy_inverse(__local double* to, __global const double* from) {
  const int column = (int)get_local_id(0) / (BLOCK / 2);
  const int row = 2 * ((int)get_local_id(0) % (BLOCK / 2));
  to += column * LD_INVERSE + row;
  from += column * BLOCK + row;
#pragma unroll
  for (int u = 0; u < BLOCK / COLUMNS_AT_ONCE; ++u) {
    copy_async_16(local_address(to + u * COLUMNS_AT_ONCE * LD_INVERSE),
                  from + u * COLUMNS_AT_ONCE * BLOCK, 1);
  }
  copy_commit();
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

// ---- Waiting ------------------------------------------------------------------------------------

// So many of the front's diagonal blocks are solved.
INLINE void publish(__global int* counter, int solved) {
  FULL_BARRIER();
  if (get_local_id(0) == 0) store_release(counter, solved);
}

INLINE int num_blocks(__private const SolveFront* front) {
  return (front->ncol + BLOCK - 1) / BLOCK;
}
INLINE int width_of(__private const SolveFront* front, int block) {
  return min(BLOCK, front->ncol - block * BLOCK);
}

// ---- What a BLOCK ends with ---------------------------------------------------------------------

// x := inverse (v - sums), or with its transpose, in the rows of a diagonal block; v lies in local
// memory.
INLINE void solve_block(__private const Solve* solve, __private const SolveFront* front, int block,
                        __private Sums* sums, __private const Rooms* rooms,
                        const bool transposed) {
  const int width = width_of(front, block);
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
  COPY_WAIT(0);
  LOCAL_BARRIER();
  multiply_inverse(sums, rooms->inverse, rooms->sums, transposed);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = 16 * OWN_WARP + result_row(e, transposed), side = result_side(n, e);
      if (i < width && side < solve->count) {
        row_of_x(solve, front->first_column + block * BLOCK + i)[side] = sums->c[0][n][e];
      }
    }
  }
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

// The block column of the tile's rows that belongs to diagonal block k; no columns behind the last.
INLINE Source source_of_rows(__private const Solve* solve, __private const SolveFront* front,
                             __private const SolveTicket* ticket, int k, int blocks) {
  return source_of(solve->panels + front->panel + ticket->row + (Offset)k * BLOCK * front->ldp,
                   front->ldp, 16 * OWN_WARP, ticket->row_end - ticket->row, 0,
                   k < blocks ? width_of(front, k) : 0, false);
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
                           __private const Rooms* rooms, __global int* counters) {
  const SolveFront front = solve->fronts[ticket.front];
  const bool is_block = ticket.form == CLCHOL_SOLVE_BLOCK;
  const int blocks = is_block ? ticket.block : num_blocks(&front);
  Block block;
  clear_block(&block);
  Source source = source_of_rows(solve, &front, &ticket, 0, blocks);
  load_block(&block, &source, false);
  if (is_block) {
    copy_inverse(rooms->inverse,
                 solve->inverses + front.inverses + (Offset)ticket.block * BLOCK * BLOCK);
  }

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
  LOCAL_BARRIER();

  Sums sums;
  set_zero(&sums);
  int ready = 0;
#pragma unroll 1
  for (int k = 0; k < blocks; ++k) {
    __local double* const terms = rooms->terms + k % 2 * BLOCK * LD_SIDES;
    if (k >= ready) ready = wait_for(counters + front.progress, k, rooms->least);
    bring_rows(terms, solve, front.first_column + k * BLOCK, width_of(&front, k));
    LOCAL_BARRIER();
    source = source_of_rows(solve, &front, &ticket, k + 1, blocks);
    multiply_block(&sums, &block, terms, &source, false);
  }

  if (is_block) {
    solve_block(solve, &front, ticket.block, &sums, rooms, false);
    publish(counters + front.progress, blocks + 1);
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

INLINE Step step_of(__private const SolveFront* front, __private const SolveTicket* ticket,
                    __global const SolveWait* waits, int j, int row_steps) {
  Step step;
  step.wait.counter = -1;
  if (j < row_steps) {
    step.row = ticket->row + (row_steps - 1 - j) * BLOCK;
    step.end = min(step.row + BLOCK, ticket->row_end);
    step.wait = wait_of(front, waits, step.row);
  } else {
    step.row = (num_blocks(front) - 1 - (j - row_steps)) * BLOCK;
    step.end = min(step.row + BLOCK, front->ncol);
  }
  return step;
}

INLINE Source source_of_columns(__private const Solve* solve, __private const SolveFront* front,
                                __private const SolveTicket* ticket, const Step step,
                                bool present) {
  return source_of(
      solve->panels + front->panel + step.row + (Offset)ticket->block * BLOCK * front->ldp,
      front->ldp, 0, present ? step.end - step.row : 0, 16 * OWN_WARP,
      width_of(front, ticket->block), true);
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
    LOCAL_BARRIER();  // All have read what the next wait overwrites.
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
                            __global const SolveWait* all_waits, __private const Rooms* rooms,
                            __global double* partial, __global int* counters) {
  const SolveFront front = solve->fronts[ticket.front];
  __global const SolveWait* const waits = all_waits + front.waits;
  const bool is_block = ticket.form == CLCHOL_SOLVE_BLOCK;
  const int width = width_of(&front, ticket.block);
  const int row_steps = (ticket.row_end - ticket.row + BLOCK - 1) / BLOCK;
  const int steps = row_steps + (is_block ? num_blocks(&front) - 1 - ticket.block : 0);
  Block block;
  Step step = step_of(&front, &ticket, waits, 0, row_steps);
  clear_block(&block);
  Source source = source_of_columns(solve, &front, &ticket, step, steps > 0);
  load_block(&block, &source, true);
  Index from[OWN_ROWS];
  if (ROWS_AHEAD && row_steps > 0) find_rows(from, solve, &front, step.row, step.end);
  if (is_block) {
    copy_inverse(rooms->inverse,
                 solve->inverses + front.inverses + (Offset)ticket.block * BLOCK * BLOCK);
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
  for (int j = 0; j < steps; ++j) {
    __local double* const terms = rooms->terms + j % 2 * BLOCK * LD_SIDES;
    if (j < row_steps) {
      wait_for_step(&watch, step.wait, counters, rooms->least);
      if (!ROWS_AHEAD) find_rows(from, solve, &front, step.row, step.end);
      gather_rows(terms, solve, &front, from, step.row, step.end);
    } else {
      const int before = j - row_steps;
      if (before >= ready) ready = wait_for(counters + front.progress, before, rooms->least);
      bring_rows(terms, solve, front.first_column + step.row, step.end - step.row);
    }
    LOCAL_BARRIER();
    if ((step.end - step.row) % 2 != 0) {
#pragma unroll
      for (int s = 0; s < STEPS; ++s) clear_padding(block.a[s], source.rows, s);
    }
    step = step_of(&front, &ticket, waits, j + 1, row_steps);
    if (ROWS_AHEAD && j + 1 < row_steps) find_rows(from, solve, &front, step.row, step.end);
    source = source_of_columns(solve, &front, &ticket, step, j + 1 < steps);
    multiply_block(&sums, &block, terms, &source, true);
  }

  if (is_block) {
    LOCAL_BARRIER();
    solve_block(solve, &front, ticket.block, &sums, rooms, true);
    publish(counters + front.progress, num_blocks(&front) - ticket.block);
  } else {
    store_slot(partial, ticket.slot_begin, &sums);
    arrive(counters + ticket.counter);
  }
}

// ---- Kernels ------------------------------------------------------------------------------------

// `shared`: the group's ticket, and the counter that was waited for.
#define ROOMS                                       \
  LOCAL_ARRAY(double, inverse, BLOCK* LD_INVERSE);  \
  LOCAL_ARRAY(double, sums, BLOCK* LD_SIDES);       \
  LOCAL_ARRAY(double, terms, 2 * BLOCK * LD_SIDES); \
  LOCAL_ARRAY(int, shared, 2);                      \
  const Rooms rooms = {inverse, sums, terms, shared + 1}

INLINE int draw(__global int* ticket, __local int* drawn) {
  LOCAL_BARRIER();
  if (get_local_id(0) == 0) *drawn = atomic_inc(ticket);
  LOCAL_BARRIER();
  return *drawn;
}

// Any number of work-groups, as many as run at once: each draws tickets until there are no more.
// (Without a required work-group size, so that the driver's limit of registers acts.)
__kernel void front_solve_forward(SOLVE_PARAMETERS, Index num_tickets,
                                  __global const SolveTicket* tickets, Offset tickets_offset,
                                  __global int* counters, Offset counters_offset,
                                  __global int* ticket, Offset ticket_offset) {
  ROOMS;
  const Solve solve = SOLVE;
  for (;;) {
    const int drawn = draw(ticket + ticket_offset, shared);
    if (drawn >= num_tickets) break;
    forward_ticket(&solve, tickets[tickets_offset + drawn], &rooms, counters + counters_offset);
  }
}

__kernel void front_solve_backward(SOLVE_PARAMETERS, Index num_tickets,
                                   __global const SolveTicket* tickets, Offset tickets_offset,
                                   __global int* counters, Offset counters_offset,
                                   __global int* ticket, Offset ticket_offset,
                                   __global double* partial, Offset partial_offset,
                                   __global const SolveWait* waits, Offset waits_offset) {
  ROOMS;
  const Solve solve = SOLVE;
  for (;;) {
    const int drawn = draw(ticket + ticket_offset, shared);
    if (drawn >= num_tickets) break;
    backward_ticket(&solve, tickets[tickets_offset + drawn], waits + waits_offset, &rooms,
                    partial + partial_offset, counters + counters_offset);
  }
}
