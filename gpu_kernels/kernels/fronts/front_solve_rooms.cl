// Rooms for front_solve.cl, and products of their contents.  A room is a buffer in local memory for
// one block, which some warps of a work-group fill and the multiplying warps use.  Include
// solve_sides.cl first.

#ifndef STAGES
#define STAGES 3  // Rooms for blocks of L.
#endif
#define SIDES_ROOMS (RHS < 8 ? 6 : 3)  // Rooms for blocks of right-hand sides.
#define STEPS (BLOCK / 8)  // Instructions of a warp for a block and eight right-hand sides.
// Leading dimensions in local memory, which avoid bank conflicts: of blocks of L, whose entries are
// read in the order of load_step() of solve_sides.cl, and of right-hand sides.
#define LD_FORWARD (BLOCK + 4)
#define LD_BACKWARD (BLOCK + 8)
#define LD_SIDES (RHS < 4 ? RHS : RHS + 4)

#define OWN_WARP ((int)get_local_id(0) / 32)
#define OWN_LANE ((int)get_local_id(0) % 32)

// ---- Rings --------------------------------------------------------------------------------------

// Rooms that are filled and used in turn.
typedef struct Ring {
  __local double* rooms;
  __local BulkBarrier* filled;  // One barrier per room, which opens when the room is filled.
  __local BulkBarrier* used;    // One barrier per room, which opens when its content is used.
  int size;                     // Values of a room.
  int next;  // Number of rooms that the work-item has filled or used since the kernel's begin.
} Ring;

// Makes a ring and initializes its barriers.
// @param count    number of rooms.
// @param size     values of a room.
// @param fillers  number of warps that arrive when they have filled a room.  WARPS warps arrive
//                 when they have used it.
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

// Waits until the next room may be filled, and returns its number.
INLINE int free_room(__private const Ring* ring, const int count) {
  const int room = ring->next % count;
  bulk_wait(ring->used + room, ring->next / count % 2 ^ 1);
  return room;
}
// Waits until the next room is filled, and returns its address.
INLINE __local const double* next_room(__private const Ring* ring, const int count) {
  const int room = ring->next % count;
  bulk_wait(ring->filled + room, ring->next / count % 2);
  return ring->rooms + room * ring->size;
}
// Signals that the warp has used the room.
INLINE void leave_room(__private Ring* ring, const int count) {
  warp_barrier();
  if (OWN_LANE == 0) bulk_arrive(ring->used + ring->next % count);
  ++ring->next;
}

// ---- Products -----------------------------------------------------------------------------------

// A lane's sums, as two addends: successive instructions add to different ones, and so need not
// wait for each other.
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
// Adds the second addend to the first.
INLINE void fold(__private Sums* sums) {
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) sums->c[0][n][e] += sums->c[1][n][e];
  }
}

// Returns the row of the block that element e of the lane's sums belongs to.
INLINE int row_of_sum(int e, const bool transposed) {
  return 16 * OWN_WARP + result_row(e, transposed);
}

// Loads the lane's terms, which are rows of right-hand sides, for step s.
INLINE void load_terms(__private double b[2], __local const double* terms, int s, int side_block,
                       const bool transposed) {
  const int side = 8 * side_block + LANE_G;
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    b[q] = side < RHS ? terms[(8 * s + term_row(q, transposed)) * LD_SIDES + side] : 0.0;
  }
}

// Loads the lane's entries of a block of L for step s, in the order of load_step() of
// solve_sides.cl; zeros for terms past `terms`.
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
// sums += block * terms, or its transpose * terms.
// @param count  number of terms.
INLINE void multiply(__private Sums* sums, __local const double* block,
                     __local const double* terms, int count, const bool transposed) {
  const int ld = transposed ? LD_BACKWARD : LD_FORWARD;
  if (count == BLOCK) {
    multiply_steps(sums, block, ld, terms, BLOCK, transposed);
  } else {
    multiply_steps(sums, block, ld, terms, count, transposed);
  }
}
