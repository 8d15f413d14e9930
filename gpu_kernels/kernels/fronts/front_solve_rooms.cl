// Rooms in local memory between those of a work-group that bring and those that multiply, and the
// products, for front_solve.cl.  After solve_sides.cl.

#ifndef STAGES
#define STAGES 3  // Blocks of L on their way.
#endif
#define SIDES_ROOMS (RHS < 8 ? 6 : 3)  // Blocks of x.
#define STEPS (BLOCK / 8)  // Instructions of a warp for a block and eight right-hand sides.
// Leading dimensions in local memory, against bank conflicts: of blocks, whose entries are read as
// load_step() of solve_sides.cl says, and of right-hand sides.
#define LD_FORWARD (BLOCK + 4)
#define LD_BACKWARD (BLOCK + 8)
#define LD_SIDES (RHS < 4 ? RHS : RHS + 4)

#define OWN_WARP ((int)get_local_id(0) / 32)
#define OWN_LANE ((int)get_local_id(0) % 32)

// ---- Rings --------------------------------------------------------------------------------------

// Rooms that are filled and used in turn.
typedef struct Ring {
  __local double* rooms;
  __local BulkBarrier* filled;  // Of each room: it is filled, ...
  __local BulkBarrier* used;    // ... and used up.
  int size;                     // Of a room.
  int next;  // How many the work-item has filled or used, since the work-group began.
} Ring;

// @param count    of rooms
// @param fillers  that arrive for each room, as WARPS do that use it
INLINE Ring make_ring(__local double* rooms, int count, int size, __local BulkBarrier* barriers,
                      int fillers) {
  if (get_local_id(0) == 0) {
    for (int k = 0; k < count; ++k) {
      bulk_init(barriers + k, fillers);
      bulk_init(barriers + count + k, WARPS);
    }
  }
  const Ring ring = {rooms, barriers, barriers + count, size, 0};
  return ring;
}

// The number of the next room when it may be filled.
INLINE int free_room(__private const Ring* ring, const int count) {
  const int room = ring->next % count;
  bulk_wait(ring->used + room, ring->next / count % 2 ^ 1);
  return room;
}
// The next room when it is filled.
INLINE __local const double* next_room(__private const Ring* ring, const int count) {
  const int room = ring->next % count;
  bulk_wait(ring->filled + room, ring->next / count % 2);
  return ring->rooms + room * ring->size;
}
// The warp has used it up.
INLINE void leave_room(__private Ring* ring, const int count) {
  warp_barrier();
  if (OWN_LANE == 0) bulk_arrive(ring->used + ring->next % count);
  ++ring->next;
}

// ---- Products -----------------------------------------------------------------------------------

// Two sums, so that instructions need not wait for each other.
typedef struct Sums {
  double c[2][SIDE_BLOCKS][4];
} Sums;

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

// Where element e of a lane's sums stands among BLOCK x RHS values by rows.
INLINE int row_of_sum(int e, const bool transposed) {
  return 16 * OWN_WARP + result_row(e, transposed);
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
// sums += block * terms, or its transpose; so many terms are there.
INLINE void multiply(__private Sums* sums, __local const double* block,
                     __local const double* terms, int count, const bool transposed) {
  const int ld = transposed ? LD_BACKWARD : LD_FORWARD;
  if (count == BLOCK) {
    multiply_steps(sums, block, ld, terms, BLOCK, transposed);
  } else {
    multiply_steps(sums, block, ld, terms, count, transposed);
  }
}
