// What neighbouring diagonal blocks of a front are coupled by, for front_solve.cl:
//
//   to[0] := W(b) L(b, b - 1)        to[1] := L(b, b - 1) W(b - 1)        W = inverse of L(b, b)
//
// So the last product before a diagonal block is solved is all that is left to do when x gets
// final in the block before:
//
//   y(b) = W(b) (v - sum over k < b - 1 of L(b, k) y(k)) - to[0] y(b - 1)
//   x(b) = W(b)' (y(b) - sum over k > b + 1 of L(k, b)' x(k)) - to[1]' x(b + 1), the next pair's
//
//   operand    shape                       storage                               access
//   couplings  list of SolveCoupling       two work-groups each                  read
//   panels     L(b, b - 1), rows x BLOCK   column-major, at an even position     read
//   inverses   BLOCK x BLOCK each          column-major: W and what they make    read, written
//
// Work-groups of GROUP = 128; local memory BLOCK * LD values.
#include "solve_sides.cl"

#define BLOCK 64
#define STEPS (BLOCK / 8)
// Against bank conflicts.
#define LD (BLOCK + 4)

// to := the block at `from`, zeros behind its rows.
INLINE void bring_block(__local double* to, __global const double* from, Offset ld, int rows) {
  const int row = (int)get_local_id(0) % BLOCK;
#pragma unroll 8
  for (int u = 0; u < BLOCK / 2; ++u) {
    const int column = (int)get_local_id(0) / BLOCK + 2 * u;
    const double value = from[min(row, rows - 1) + column * ld];
    to[row + column * LD] = row < rows ? value : 0.0;
  }
}

__kernel WORK_GROUP(GROUP) void couple_blocks(__global const SolveCoupling* couplings,
                                              Offset couplings_offset,
                                              __global const double* panels, Offset panels_offset,
                                              __global double* inverses, Offset inverses_offset) {
  LOCAL_ARRAY(double, right, BLOCK* LD);
  const int second = (int)get_group_id(0) % 2;
  const SolveCoupling coupling = couplings[couplings_offset + get_group_id(0) / 2];
  __global const double* const block = panels + panels_offset + coupling.block;
  __global double* const inverse = inverses + inverses_offset + coupling.inverse;
  __global double* const to = inverses + inverses_offset + coupling.to + second * BLOCK * BLOCK;

  const int row = 16 * (int)(get_local_id(0) / 32);
  const Source left =
      second ? source_of(block, coupling.ld, row, coupling.rows, 0, BLOCK, false)
             : source_of(inverse + BLOCK * BLOCK, BLOCK, row, BLOCK, 0, BLOCK, false);
  double a[STEPS][4];
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    a[s][0] = a[s][1] = a[s][2] = a[s][3] = 0;
    load_step(a[s], &left, s, false);
  }
  if (second) {
    bring_block(right, inverse, BLOCK, BLOCK);
  } else {
    bring_block(right, block, coupling.ld, coupling.rows);
  }
  LOCAL_BARRIER();

  double c[BLOCK / 8][4];
#pragma unroll
  for (int n = 0; n < BLOCK / 8; ++n) c[n][0] = c[n][1] = c[n][2] = c[n][3] = 0;
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
#pragma unroll
    for (int n = 0; n < BLOCK / 8; ++n) {
      __local const double* const from = right + 8 * s + LANE_T + (8 * n + LANE_G) * LD;
      const double b[2] = {from[0], from[4]};
      multiply_loaded(c[n], a[s], b, false);
    }
  }

  // Neighbours of a column are one store.  Behind the rows stands what was read there.
  const int r = row + 2 * LANE_G;
#pragma unroll
  for (int n = 0; n < BLOCK / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const double first = r < coupling.rows ? c[n][e] : 0.0;
      const double next = r + 1 < coupling.rows ? c[n][2 + e] : 0.0;
      *(__global double2*)(to + r + (8 * n + 2 * LANE_T + e) * BLOCK) = pair(first, next);
    }
  }
}
