// Transfers to local memory for the tickets of front_solve.cl, by warps of their own: copies of
// blocks of L, and loads of blocks of right-hand sides, including the waits for them.  Include
// front_solve_parts.cl first.

#define COPIERS (RHS < 8 ? 2 : 1)   // Warps that copy L, after the GROUP multiplying work-items.
#define BRINGERS (RHS < 8 ? 2 : 3)  // Warps that load right-hand sides, after the copying warps.
#define FIRST_COPIER GROUP
#define FIRST_BRINGER (FIRST_COPIER + 32 * COPIERS)

// ---- Blocks of L --------------------------------------------------------------------------------

// Waits for a free room and starts the copy of a block.  Each copying warp copies some columns.
INLINE void copy_block(__private Ring* ring, const Block block, int ld) {
  const int room = free_room(ring, STAGES);
  ++ring->next;
  if (!elected()) return;
  const int begin = BLOCK / COPIERS * (((int)get_local_id(0) - FIRST_COPIER) / 32);
  const int columns = clamp(block.columns - begin, 0, BLOCK / COPIERS);
  const int bytes = max(block.rows + 1, 0) / 2 * 16;
  __local BulkBarrier* const filled = ring->filled + room;
  bulk_expect(filled, columns * bytes);
  if (bytes == 0) return;
  LocalAddress to =
      local_address(ring->rooms) + (room * ring->size + begin * ld) * (int)sizeof(double);
  __global const double* from = block.from + begin * block.ld;
#pragma unroll 8
  for (int c = 0; c < columns; ++c) {
    bulk_copy(to, from, bytes, filled);
    to += ld * (int)sizeof(double);
    from += block.ld;
  }
}

// Starts the copies of all blocks of a ticket.
INLINE void copy_ticket(__private const Solve* solve, const SolveTicket ticket,
                        const SolveFront front, __private Ring* blocks, const bool transposed) {
  const Parts parts = parts_of(&front, &ticket, transposed);
#pragma unroll 1
  for (int j = 0; j < num_ticket_blocks(&parts); ++j) {
    copy_block(blocks, ticket_block(solve, &front, &ticket, &parts, j, transposed),
               transposed ? LD_BACKWARD : LD_FORWARD);
  }
}

// ---- Rows of right-hand sides -------------------------------------------------------------------

// A bringing work-item loads OWN_ROWS of the 64 rows of a block, all of right-hand side OWN_SIDE.
#define ROWS_AT_ONCE (32 * BRINGERS / RHS)
#define OWN_ROWS ((BLOCK + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE)
#define OWN_NUMBER ((int)get_local_id(0) - FIRST_BRINGER)
#define OWN_SIDE (OWN_NUMBER % RHS)
INLINE int own_row(int u) { return OWN_NUMBER / RHS + u * ROWS_AT_ONCE; }

// Waits for a free room and stores a block of right-hand sides there.
INLINE void put_rows(__private Ring* ring, __private const double v[OWN_ROWS]) {
  const int number = free_room(ring, SIDES_ROOMS);
  __local double* const room = ring->rooms + number * ring->size;
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    if (own_row(u) < BLOCK) room[own_row(u) * LD_SIDES + OWN_SIDE] = v[u];
  }
  warp_barrier();
  if (OWN_LANE == 0) bulk_arrive(ring->filled + number);
  ++ring->next;
}

// Returns the right-hand side that the work-item loads.  Work-items without a row or a right-hand
// side of their own load another one: with a condition around each load, the compiler would wait
// for a load before it issues the next one.
INLINE int side_to_load(__private const Solve* solve) { return min(OWN_SIDE, solve->count - 1); }

// Sets rows of the block outside of [begin, end), and right-hand sides that do not exist, to zero.
INLINE void clear_rows(__private double v[OWN_ROWS], __private const Solve* solve, int begin,
                       int end) {
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    if (own_row(u) < begin || own_row(u) >= end || OWN_SIDE >= solve->count) v[u] = 0;
  }
}

// v := `rows` rows of x from `row` on, and zeros past them.
INLINE void load_rows(__private double v[OWN_ROWS], __private const Solve* solve, Index row,
                      int rows) {
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    v[u] = row_of_x(solve, row + min(own_row(u), rows - 1))[side_to_load(solve)];
  }
  clear_rows(v, solve, 0, rows);
}

// v := `rows` tagged rows from `row` on, and zeros past them.  Waits until they have the launch's
// tag.
INLINE void load_tagged_rows(__private double v[OWN_ROWS], __private const Solve* solve,
                             __private const Chain* chain, Index row, int rows) {
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
}

// from := row numbers in x of the front's update rows in the step.
INLINE void find_rows(__private Index from[OWN_ROWS], __private const Solve* solve,
                      __private const SolveFront* front, const Step step) {
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) {
    from[u] = solve->rowind[front->rows + clamp(step.row + own_row(u), front->ncol, step.end - 1)];
  }
}
// v := rows `from` of x, and zeros in rows that are not update rows of the step.
INLINE void gather_rows(__private double v[OWN_ROWS], __private const Solve* solve,
                        __private const SolveFront* front, __private const Index from[OWN_ROWS],
                        const Step step) {
#pragma unroll
  for (int u = 0; u < OWN_ROWS; ++u) v[u] = row_of_x(solve, from[u])[side_to_load(solve)];
  clear_rows(v, solve, front->ncol - step.row, step.end - step.row);
}

// Brings to the rooms the sums of the other blocks of the span that the ticket needs.
INLINE void bring_sums(__private const Solve* solve, __private const SolveTicket* ticket,
                       __private const SolveFront* front, __private const Parts* parts,
                       __private const Chain* chain, __private Ring* sides,
                       const bool transposed) {
#pragma unroll 1
  for (int m = 0; SPANS && m < parts->inside; ++m) {
    const int block = inside_block(ticket, parts, m, transposed);
    double v[OWN_ROWS];
    load_tagged_rows(v, solve, chain, front->sums + block * BLOCK, width_of(front, block));
    put_rows(sides, v);
  }
}

// Brings to the rooms x of diagonal blocks of the ticket's front.  Blocks that are near the
// ticket's block are read by tags, others after their counter.  The sums of the span are brought
// before x of the blocks that the ticket's block is coupled to.
INLINE void bring_blocks(__private const Solve* solve, __private const SolveTicket* ticket,
                         __private const SolveFront* front, __private const Parts* parts,
                         __private const Chain* chain, __private Ring* sides,
                         __global const int* solved, const bool transposed) {
  int ready = 0;
#pragma unroll 1
  for (int k = 0; k < parts->plain + parts->coupled; ++k) {
    if (k == parts->plain) bring_sums(solve, ticket, front, parts, chain, sides, transposed);
    const Step step = step_of(front, ticket, parts, parts->row_steps + k, transposed);
    double v[OWN_ROWS];
    if (is_near(front, parts, k)) {
      load_tagged_rows(v, solve, chain, front->solved + step.row, step.end - step.row);
    } else {
      if (k >= ready) ready = warp_wait_for(solved, k);
      load_rows(v, solve, front->first_column + step.row, step.end - step.row);
    }
    put_rows(sides, v);
  }
  if (parts->coupled == 0) bring_sums(solve, ticket, front, parts, chain, sides, transposed);
}

// ---- Forward ------------------------------------------------------------------------------------

// Ranges of `sources` with the children's entries of the work-item's rows.
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

// v += the children's entries, for all rows of the work-item at the same time.
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

// Brings to the rooms all right-hand sides of a forward ticket: its rows of x, or zeros in update
// rows, + the children's entries; then x of diagonal blocks.
INLINE void bring_forward(__private const Solve* solve, const SolveTicket ticket,
                          const SolveFront front, __private const Chain* chain,
                          __private Ring* sides, __global const int* counters) {
  const Parts parts = parts_of(&front, &ticket, false);
  SourceRange range = find_sources(solve, &front, ticket.row,
                                   parts.is_block ? ticket.row : front.ncol, ticket.row_end);
  double v[OWN_ROWS];
  if (parts.is_block) {
    load_rows(v, solve, front.first_column + ticket.row, ticket.row_end - ticket.row);
  } else {
#pragma unroll
    for (int u = 0; u < OWN_ROWS; ++u) v[u] = 0;
  }
  if (front.expected > 0) warp_wait_for(counters + front.progress + 1, front.expected - 1);
  add_sources(v, solve, &range);
  put_rows(sides, v);
  bring_blocks(solve, &ticket, &front, &parts, chain, sides, counters + front.progress, false);
}

// ---- Backward -----------------------------------------------------------------------------------

// Returns the SolveWait of the 64 update rows that begin at `row`.
// @param waits  those of the front.
INLINE SolveWait wait_of(__private const SolveFront* front, __global const SolveWait* waits,
                         Index row) {
  return waits[(row - front->ncol / 2 * 2) / BLOCK];
}

// Progress of the ancestors, as far as the warp knows it.
typedef struct Watch {
  int all;  // 1: x is final in all update rows of the ticket.
  Index counter, solved;  // Index of the counter that was read last (-1: none), and its value.
} Watch;

// Reads the counter that the ticket's first update rows wait for.  These rows become final last.
INLINE Watch begin_watch(const SolveWait first, __global const int* counters) {
  Watch watch = {1, first.counter, 0};
  if (first.counter >= 0) {
    watch.solved = warp_wait_for(counters + first.counter, -1);
    watch.all = watch.solved >= first.solved;
  }
  return watch;
}
INLINE void wait_for_step(__private Watch* watch, const SolveWait wait,
                          __global const int* counters) {
  const bool known = wait.counter == watch->counter && watch->solved >= wait.solved;
  if (watch->all || wait.counter < 0 || known) return;
  watch->counter = wait.counter;
  watch->solved = warp_wait_for(counters + wait.counter, wait.solved - 1);
}

// Brings to the rooms x of the ticket's update rows.
INLINE void bring_update_rows(__private const Solve* solve, __private const SolveTicket* ticket,
                              __private const SolveFront* front, __private const Parts* parts,
                              __global const SolveWait* waits, __private Ring* sides,
                              __global const int* counters) {
  Step step = step_of(front, ticket, parts, 0, true);
  Index from[OWN_ROWS];
  SolveWait wait = wait_of(front, waits, step.row);
  find_rows(from, solve, front, step);
  Watch watch = begin_watch(wait_of(front, waits, ticket->row), counters);
#pragma unroll 1
  for (int j = 0; j < parts->row_steps; ++j) {
    wait_for_step(&watch, wait, counters);
    double v[OWN_ROWS];
    gather_rows(v, solve, front, from, step);
    if (j + 1 < parts->row_steps) {  // Row numbers are loaded while this step's values arrive.
      const Step next = step_of(front, ticket, parts, j + 1, true);
      wait = wait_of(front, waits, next.row);
      find_rows(from, solve, front, next);
      step = next;
    }
    put_rows(sides, v);
  }
}

// Brings to the rooms all right-hand sides of a backward ticket: the rows of x that it solves for,
// if any; then x of update rows; then x of diagonal blocks.
INLINE void bring_backward(__private const Solve* solve, const SolveTicket ticket,
                           const SolveFront front, __global const SolveWait* waits,
                           __private const Chain* chain, __private Ring* sides,
                           __global const int* counters) {
  const Parts parts = parts_of(&front, &ticket, true);
  if (parts.is_block) {
    double v[OWN_ROWS];
    load_rows(v, solve, front.first_column + ticket.block * BLOCK, width_of(&front, ticket.block));
    put_rows(sides, v);
  }
  if (parts.row_steps > 0) {
    bring_update_rows(solve, &ticket, &front, &parts, waits + front.waits, sides, counters);
  }
  bring_blocks(solve, &ticket, &front, &parts, chain, sides, counters + front.progress, true);
}
