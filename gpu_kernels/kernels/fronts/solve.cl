// Declarations that forward_solve.cl and backward_solve.cl share.
#include "fronts/fronts.cl"

#ifndef BLOCK
#define BLOCK 64  // Order of the inverted diagonal blocks, and work-items of a work-group.
#endif
#ifndef RHS
#define RHS 1  // Largest number of right-hand sides of a work-group.
#endif

// The work-group's right-hand sides: columns [first, first + count) of nrhs.  Row i begins at
// i * nrhs + first.
typedef struct Sides {
  Index nrhs, first, count;
} Sides;

Sides sides_of_group(Index nrhs) {
  const Index first = get_group_id(1) * RHS;
  Sides sides = {nrhs, first, min(RHS, nrhs - first)};
  return sides;
}

// Returns the number of pivot columns of diagonal block b.
int width_of(const Front* front, Index b) { return min(BLOCK, front->ncol - b * BLOCK); }

void set_zero(real* v) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) v[r] = 0;
}

// v += a * row
void add_product(real* v, real a, __local const real* row) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) v[r] += a * row[r];
}

void store_row(__global real* to, const real* v, const Sides* sides) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) {
    if (r < sides->count) to[r] = v[r];
  }
}

void subtract_row(__global real* to, const real* v, const Sides* sides) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) {
    if (r < sides->count) to[r] -= v[r];
  }
}

// Copies `rows` rows of right-hand sides to local memory, RHS values per row, with zeros past the
// last right-hand side.  The caller must add a barrier.
void load_rows(__local real* to, __global const real* from, int rows, const Sides* sides) {
  for (int e = get_local_id(0); e < rows * RHS; e += BLOCK) {
    const int i = e / RHS, r = e % RHS;
    to[e] = r < sides->count ? from[(Offset)i * sides->nrhs + r] : 0;
  }
}
