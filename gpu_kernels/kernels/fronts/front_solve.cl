// Forward and backward solve with a forest of fronts, one launch each, up to RHS right-hand sides.
// For each front in tiles:
//
//   forward    w := [x1; 0] + sum over children, in order, of their update rows
//              x1 := L11^-1 w1,  update rows := w2 - L21 x1
//   backward   x1 := L11^-T (x1 - L21' x2)
//
// subtree_solve.cl solves with subtrees of small fronts.
//
//   operand    shape               storage                                          access
//   tickets    list of SolveTicket made by make_front_solve()                       read
//   partial    SLOT values each    workspace: partial sums of L21' x2               written, read
//   counters                       progress of fronts, zero before                  written, read
//   tagged     2 RHS words for each tagged row; no word has this launch's tag       written, read
//              before
//   waits      list of SolveWait, backward only                                     read
//   ticket     1                   counter, zero before                             written, read
//   and the operands of solve_sides.cl
//
// Left-looking: one work-group has BLOCK = 64 rows of a front forward, 64 of its columns backward.
// It multiplies blocks of 64 columns (backward: rows) by parts of x, one after another, as these
// become final.  With the inverted diagonal block, the solve is one more product.  In fronts of
// many blocks, that product is done before the last part of x is final; the last part is then
// multiplied by its coupling to the block (couple_blocks.cl).  Such fronts may be solved in spans
// of several blocks, each by a work-group of its own.  The work-groups of a span exchange their
// sums before the product with the inverse, and all their blocks are coupled to the span before, so
// that there is one wait from span to span.  The order of all sums is decided by the lists only.
//
// In a work-group, four warps multiply operands in local memory; BRINGERS warps wait for x and load
// it; COPIERS warps copy blocks of L.  They use bulk copies, because a load of x waits for all
// earlier loads of the compute unit, among which loads of L would be.  Each kind of warps goes
// through the work-group's tickets on its own, as far ahead as there are free rooms: buffers in
// local memory for one block each.
//
// Work-groups draw tickets in the order of the list, in which a ticket depends on earlier tickets
// only.  They wait in a loop for lower tickets, so the device must have passed the probe of forward
// progress.
//
// A front has two counters: the number of solved diagonal blocks, counted from the first block
// forward and from the last block backward; and the number of update tiles that its children have
// written.
//
// Work-groups of GROUP = 128 work-items that multiply, 32 COPIERS and 32 BRINGERS; local memory
// BLOCK (STAGES LD + (SIDES_ROOMS + 1) LD_SIDES) values, and barriers and tickets.
#include "fronts/solve_sides.cl"
// In this order: the files below use solve_sides.cl.
#include "fronts/solve_spans.cl"
// Barriers for waiting.cl: of the warps that multiply only.
#define MEET() named_barrier(1, GROUP)
#define MEET_WRITTEN() MEET()
#include "runtime/waiting.cl"
#include "fronts/front_solve_rooms.cl"
#include "fronts/front_solve_parts.cl"
#include "fronts/front_solve_bring.cl"

#define SLOT (GROUP * SIDE_BLOCKS * 4)

// Local memory, as a work-item that multiplies sees it.
typedef struct Rooms {
  Ring blocks, sides;   // Blocks of L, and blocks of right-hand sides.
  __local double* own;  // BLOCK x LD_SIDES terms for the product with the inverse.
} Rooms;

// ---- Products -----------------------------------------------------------------------------------

// sums += the next block of L, or its transpose, * the next block of right-hand sides.
// @param count  number of terms: rows of right-hand sides.
INLINE void multiply_next(__private Sums* sums, __private Rooms* rooms, int count,
                          const bool transposed) {
  __local const double* const terms = next_room(&rooms->sides, SIDES_ROOMS);
  multiply(sums, next_room(&rooms->blocks, STAGES), terms, count, transposed);
  leave_room(&rooms->blocks, STAGES);
  leave_room(&rooms->sides, SIDES_ROOMS);
}

// sums := -v for the next block v of right-hand sides.
INLINE void begin_sums(__private Sums* sums, __private Rooms* rooms, const bool transposed) {
  __local const double* const v = next_room(&rooms->sides, SIDES_ROOMS);
  set_zero(sums);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int side = result_side(n, e);
      if (side < RHS) sums->c[0][n][e] = -v[row_of_sum(e, transposed) * LD_SIDES + side];
    }
  }
  leave_room(&rooms->sides, SIDES_ROOMS);
}

// sums := -W sums, or with W' if transposed, for the inverse W of the diagonal block, which is the
// next block.  In a span of several blocks, the work-group publishes its sums before, and adds the
// products of W's other blocks with the sums of the other work-groups.
INLINE void solve_block(__private Sums* sums, __private const Solve* solve,
                        __private const SolveTicket* ticket, __private const SolveFront* front,
                        __private const Parts* parts, __private const Chain* chain,
                        __private Rooms* rooms, const bool transposed) {
  const int width = width_of(front, ticket->block);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = row_of_sum(e, transposed), side = result_side(n, e);
      if (side < RHS) rooms->own[i * LD_SIDES + side] = i < width ? -sums->c[0][n][e] : 0.0;
      if (span_of(front) > 1 && side < RHS && i < width && side < solve->count) {
        store_tagged(tagged_at(chain, front->sums + ticket->block * BLOCK + i, side),
                     -sums->c[0][n][e], chain->tag);
      }
    }
  }
  MEET();
  set_zero(sums);
  multiply(sums, next_room(&rooms->blocks, STAGES), rooms->own, width, transposed);
  leave_room(&rooms->blocks, STAGES);
#pragma unroll 1
  for (int m = 0; SPANS && m < parts->inside; ++m) {
    const int other = inside_block(ticket, parts, m, transposed);
    multiply_next(sums, rooms, width_of(front, other), transposed);
  }
  fold(sums);
}

// result -= coupling * x, or with its transpose, for each block that the ticket's block is coupled
// to.  Couplings and x are the next blocks in the rooms.
INLINE void couple(__private Sums* result, __private const SolveFront* front,
                   __private const Parts* parts, __private Rooms* rooms, const bool transposed) {
  Sums sums;
  set_zero(&sums);
#pragma unroll 1
  for (int c = 0; c < (SPANS ? parts->coupled : 1); ++c) {
    const int other = coupled_block(front, parts, c, transposed);
    multiply_next(&sums, rooms, width_of(front, other), transposed);
  }
  fold(&sums);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) result->c[0][n][e] -= sums.c[0][n][e];
  }
}

// Stores x := result in the rows of a diagonal block, and publishes it with tags.
INLINE void store_block(__private const Solve* solve, __private const Chain* chain,
                        __private const SolveFront* front, int block, __private const Sums* result,
                        const bool transposed) {
  const int width = width_of(front, block);
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = row_of_sum(e, transposed), side = result_side(n, e);
      if (side < RHS && i < width && side < solve->count) {
        store_tagged(tagged_at(chain, front->solved + block * BLOCK + i, side), result->c[0][n][e],
                     chain->tag);
        row_of_x(solve, front->first_column + block * BLOCK + i)[side] = result->c[0][n][e];
      }
    }
  }
}

// Raises a front's counter of solved diagonal blocks from `before` to `before` + 1.  It waits until
// the counter is `before`, so that a reader of the counter sees x of all blocks that it counts.
INLINE void publish(__global int* counter, int before) {
  MEET();
  if (get_local_id(0) != 0) return;
  while (load_acquire(counter) < before) pause_briefly();
  store_release(counter, before + 1);
}

// The last part of a ticket that solves a diagonal block, after its products.
INLINE void finish_block(__private Sums* sums, __private const Solve* solve,
                         __private const SolveTicket* ticket, __private const SolveFront* front,
                         __private const Parts* parts, __private const Chain* chain,
                         __private Rooms* rooms, __global int* counters, const bool transposed) {
  solve_block(sums, solve, ticket, front, parts, chain, rooms, transposed);
  if (parts->coupled > 0) couple(sums, front, parts, rooms, transposed);
  store_block(solve, chain, front, ticket->block, sums, transposed);
  publish(counters + front->progress, parts->solved);
}

// ---- Forward ------------------------------------------------------------------------------------

// Stores the update rows := -sums.
INLINE void store_update(__private const Solve* solve, __private const SolveFront* front,
                         __private const SolveTicket* ticket, __private const Sums* sums) {
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const Index row = ticket->row + row_of_sum(e, false);
      const int side = result_side(n, e);
      if (row >= front->ncol && row < ticket->row_end && side < solve->count) {
        row_of_vectors(solve, front->vector + row - front->ncol)[side] = -sums->c[0][n][e];
      }
    }
  }
}

INLINE void forward_ticket(__private const Solve* solve, const SolveTicket ticket,
                           const SolveFront front, __private const Chain* chain,
                           __private Rooms* rooms, __global int* counters) {
  const Parts parts = parts_of(&front, &ticket, false);
  Sums sums;
  begin_sums(&sums, rooms, false);
#pragma unroll 1
  for (int k = 0; k < parts.products; ++k) {
    multiply_next(&sums, rooms, width_of(&front, k), false);
  }
  fold(&sums);
  if (parts.is_block) {
    finish_block(&sums, solve, &ticket, &front, &parts, chain, rooms, counters, false);
  } else {
    store_update(solve, &front, &ticket, &sums);
    if (front.parent >= 0) arrive(counters + front.parent + 1);
  }
}

// ---- Backward -----------------------------------------------------------------------------------

// sums += partial sums [begin, end), which are stored in the work-items' order.
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
INLINE void store_slot(__global double* partial, int slot, __private const Sums* sums) {
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      partial[(Offset)slot * SLOT + (4 * n + e) * GROUP + get_local_id(0)] = sums->c[0][n][e];
    }
  }
}

INLINE void backward_ticket(__private const Solve* solve, const SolveTicket ticket,
                            const SolveFront front, __private const Chain* chain,
                            __private Rooms* rooms, __global double* partial,
                            __global int* counters) {
  const Parts parts = parts_of(&front, &ticket, true);
  Sums sums;
  if (parts.is_block) {
    begin_sums(&sums, rooms, true);
    const int slots = ticket.slot_end - ticket.slot_begin;
    if (slots > 0) {
      warp_wait_for(counters + ticket.counter, slots - 1);
      add_slots(&sums, partial, ticket.slot_begin, ticket.slot_end);
    }
  } else {
    set_zero(&sums);
  }
#pragma unroll 1
  for (int j = 0; j < parts.products; ++j) {
    const Step step = step_of(&front, &ticket, &parts, j, true);
    multiply_next(&sums, rooms, step.end - step.row, true);
  }
  fold(&sums);
  if (parts.is_block) {
    finish_block(&sums, solve, &ticket, &front, &parts, chain, rooms, counters, true);
  } else {
    store_slot(partial, ticket.slot_begin, &sums);
    arrive(counters + ticket.counter);
  }
}

// ---- Tickets ------------------------------------------------------------------------------------

// A ticket of the work-group, in local memory.  The copying warps draw a ticket when they have
// started the copies of all blocks of the ticket before, so copies of L and loads of x continue
// from ticket to ticket.
typedef struct Drawn {
  SolveFront front;
  SolveTicket ticket;
  int present;  // 0: there are no more tickets.
  int padding;  // Aligns the next element of an array of Drawn to 64 bits.
} Drawn;

typedef struct Turns {
  __local Drawn* drawn;        // Two tickets, used in turn.
  __local BulkBarrier* ready;  // Barriers of the two tickets, which open when a ticket is drawn.
  __local BulkBarrier* done;   // Barriers of the two tickets, which open when a ticket is done.
  int turn;                    // Number of tickets that the work-item has finished.
} Turns;

INLINE Turns make_turns(__local Drawn* drawn, __local BulkBarrier* barriers) {
  if (get_local_id(0) == 0) {
    for (int k = 0; k < 2; ++k) {
      bulk_init(barriers + k, 1);
      bulk_init(barriers + 2 + k, WARPS + BRINGERS);
    }
  }
  const Turns turns = {drawn, barriers, barriers + 2, 0};
  return turns;
}

// Draws the next ticket.  Called by the copying warps.
INLINE void draw(__private const Turns* turns, __private const Solve* solve, int num_tickets,
                 __global const SolveTicket* tickets, __global int* ticket) {
  const int place = turns->turn % 2;
  bulk_wait(turns->done + place, turns->turn / 2 % 2 ^ 1);
  if (get_local_id(0) != FIRST_COPIER) return;
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
// Returns the ticket of this turn, which the copying warps draw.  It is not present when there are
// no more tickets.
INLINE __local const Drawn* next_ticket(__private const Turns* turns, __private const Solve* solve,
                                        int num_tickets, __global const SolveTicket* tickets,
                                        __global int* ticket) {
  const int number = get_local_id(0);
  if (FIRST_COPIER <= number && number < FIRST_BRINGER) {
    draw(turns, solve, num_tickets, tickets, ticket);
  }
  bulk_wait(turns->ready + turns->turn % 2, turns->turn / 2 % 2);
  return turns->drawn + turns->turn % 2;
}
// Ends the warp's work on a ticket.  Called by warps that do not copy.  (The copying warps finish a
// ticket before the multiplying warps do, because each ticket has at least one block.)
INLINE void end_turn(__private const Turns* turns) {
  warp_barrier();
  if (OWN_LANE == 0) bulk_arrive(turns->done + turns->turn % 2);
}

// ---- Kernels ------------------------------------------------------------------------------------

#define ROOMS(ld)                                                                           \
  LOCAL_ARRAY(double, stages, STAGES * BLOCK * (ld));                                       \
  LOCAL_ARRAY(double, sides_rooms, (SIDES_ROOMS + 1) * BLOCK * LD_SIDES);                   \
  LOCAL_ARRAY(BulkBarrier, barriers, 2 * (STAGES + SIDES_ROOMS) + 4);                       \
  LOCAL_ARRAY(Drawn, drawn, 2);                                                             \
  Turns turns = make_turns(drawn, barriers);                                                \
  Rooms rooms = {make_ring(stages, STAGES, BLOCK * (ld), barriers + 4, COPIERS),            \
                 make_ring(sides_rooms + BLOCK * LD_SIDES, SIDES_ROOMS, BLOCK * LD_SIDES,   \
                           barriers + 4 + 2 * STAGES, BRINGERS),                            \
                 sides_rooms}

#define CHAIN_PARAMETERS __global Offset *tagged, Offset tagged_offset, Index tag

// Launched with as many work-groups as run at once; any number is correct.  Each work-group draws
// tickets until none is left.  The kernels have no required work-group size, so that the compiler
// obeys its limit of registers.
__kernel void front_solve_forward(SOLVE_PARAMETERS, Index num_tickets,
                                  __global const SolveTicket* tickets, Offset tickets_offset,
                                  __global int* counters, Offset counters_offset,
                                  __global int* ticket, Offset ticket_offset,
                                  CHAIN_PARAMETERS) {
  ROOMS(LD_FORWARD);
  const Solve solve = SOLVE;
  const Chain chain = {tagged + tagged_offset, tag};
  __global int* const own_counters = counters + counters_offset;
  LOCAL_BARRIER();
  const int number = get_local_id(0);
  for (;; ++turns.turn) {
    __local const Drawn* const now = next_ticket(&turns, &solve, num_tickets,
                                                 tickets + tickets_offset, ticket + ticket_offset);
    if (!now->present) break;
    const SolveTicket own = now->ticket;
    const SolveFront front = now->front;
    if (number < GROUP) {
      forward_ticket(&solve, own, front, &chain, &rooms, own_counters);
      end_turn(&turns);
    } else if (number < FIRST_BRINGER) {
      copy_ticket(&solve, own, front, &rooms.blocks, false);
    } else {
      bring_forward(&solve, own, front, &chain, &rooms.sides, own_counters);
      end_turn(&turns);
    }
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
  __global int* const own_counters = counters + counters_offset;
  LOCAL_BARRIER();
  const int number = get_local_id(0);
  for (;; ++turns.turn) {
    __local const Drawn* const now = next_ticket(&turns, &solve, num_tickets,
                                                 tickets + tickets_offset, ticket + ticket_offset);
    if (!now->present) break;
    const SolveTicket own = now->ticket;
    const SolveFront front = now->front;
    if (number < GROUP) {
      backward_ticket(&solve, own, front, &chain, &rooms, partial + partial_offset, own_counters);
      end_turn(&turns);
    } else if (number < FIRST_BRINGER) {
      copy_ticket(&solve, own, front, &rooms.blocks, true);
    } else {
      bring_backward(&solve, own, front, waits + waits_offset, &chain, &rooms.sides, own_counters);
      end_turn(&turns);
    }
  }
}
