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
// is done before the last part of x is there, which is then multiplied by what couples it to the
// block (couple_blocks.cl).  Such fronts may be solved in spans of several blocks, each by a
// work-group of its own: these tell each other their sums before that product, and all are coupled
// to the span before, so that from span to span there is one wait.  Sums are in an order that the
// lists alone decide.
//
// Four warps multiply, and find in local memory all that they multiply: two more bring x, and wait
// for it; two copy blocks of L, with bulk copies, because loads of L would be in the way of the
// loads that look for x, which wait for all earlier ones of the compute unit.  Each goes through
// the group's tickets on its own, as far ahead as there are rooms.
//
// Work-groups draw tickets in the order of the list, in which a ticket depends on earlier ones
// alone; they wait in a loop for lower tickets, so the device must have passed the probe of forward
// progress.
//
// Counters of a front: how many diagonal blocks are solved, from the first on forward, from the
// last on backward; how many update tiles its children have written.
//
// Work-groups of GROUP = 128 that multiply, 32 COPIERS and 32 BRINGERS; local memory
// BLOCK (STAGES LD + (SIDES_ROOMS + 1) LD_SIDES) values.
#include "fronts/solve_sides.cl"
// In this order: it uses the sides'.
#include "fronts/solve_spans.cl"
// Those that multiply meet without the others.
#define MEET() named_barrier(1, GROUP)
#define MEET_WRITTEN() MEET()
#include "runtime/waiting.cl"
#include "fronts/front_solve_rooms.cl"
#include "fronts/front_solve_parts.cl"
#include "fronts/front_solve_bring.cl"

#define SLOT (GROUP * SIDE_BLOCKS * 4)

// What a work-item that multiplies has from others, and the room where a diagonal block's terms go
// through.
typedef struct Rooms {
  Ring blocks, sides;
  __local double* own;
} Rooms;

// ---- Products -----------------------------------------------------------------------------------

// sums += the next block * the next terms, so many of them, or its transpose.
INLINE void multiply_next(__private Sums* sums, __private Rooms* rooms, int count,
                          const bool transposed) {
  __local const double* const terms = next_room(&rooms->sides, SIDES_ROOMS);
  multiply(sums, next_room(&rooms->blocks, STAGES), terms, count, transposed);
  leave_room(&rooms->blocks, STAGES);
  leave_room(&rooms->sides, SIDES_ROOMS);
}

// sums := -v, which is the next of what is brought.
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

// sums := -inverse sums, or with its transpose; the inverse, the next block, is of order `width`.
// Others of the span get these sums, and theirs are added.
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

// result -= couplings * x of the blocks that the ticket's is coupled to, or with their transposes:
// both are the next.
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

// x := result in the rows of a diagonal block.
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

// After `before` of the front's diagonal blocks one more is solved.  Whoever sees the counter sees
// all of them, so it waits for the one before.
INLINE void publish(__global int* counter, int before) {
  MEET();
  if (get_local_id(0) != 0) return;
  while (load_acquire(counter) < before) pause_briefly();
  store_release(counter, before + 1);
}

// What a ticket ends with that solves a diagonal block, after its products.
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

// The update rows become the negative sums.
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

// The group's tickets, in turn: those that copy draw one when they have begun to copy all blocks of
// the one before, so L and x are on their way from ticket to ticket too.
typedef struct Drawn {
  SolveFront front;
  SolveTicket ticket;
  int present;
  int padding;  // Makes the next one's 64-bit numbers aligned.
} Drawn;

typedef struct Turns {
  __local Drawn* drawn;        // Two, used in turn.
  __local BulkBarrier* ready;  // Of each: it is drawn, ...
  __local BulkBarrier* done;   // ... and done.
  int turn;
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

// By those that copy.
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
// The turn's ticket, drawn by those that copy; not present where there are no more.
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
// By the others.  (Those that copy are done before those that multiply what they have copied: each
// ticket has a block at least.)
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
