// Inverses of the diagonal blocks of lower triangles, many at once:
//
//   W(b) := L(J, J)^-1,  J = columns b * BLOCK .. of block b
//
//   operand    shape                      storage                                access
//   L          order x order              column-major, ld >= order, lower       read
//   inverses   blocks of BLOCK x BLOCK    column-major, ld BLOCK, one block      written; no
//   overlap
//                                         after another                          with L
//   blocks     work-groups                list of TriangleBlock                  read
//   triangles                             list of LowerTriangle                  read
//
// W is stored square: zeros above its diagonal, and the identity past the end of a last block that
// is narrower than BLOCK.  A zero on the diagonal of L gives infinities, as a division would.
// Work-groups of BLOCK work-items; work-item j solves w * L' = e(j)', w being column j of W.
// Local memory: BLOCK * BLOCK values.
#include "common.cl"

#include "dense_args.h"
#include "row_solve.cl"

__kernel WORK_GROUP(BLOCK) void trinv(__global const TriangleBlock* blocks, Offset blocks_offset,
                                      __global const LowerTriangle* triangles,
                                      Offset triangles_offset, __global const real* L,
                                      Offset L_offset, __global real* inverses,
                                      Offset inverses_offset) {
  LOCAL_TRIANGLE(block_l);
  const TriangleBlock place = blocks[blocks_offset + get_group_id(0)];
  const LowerTriangle triangle = triangles[triangles_offset + place.triangle];
  const int width = min(triangle.order - place.begin, BLOCK);
  const int l = get_local_id(0);
  __global const real* from =
      L + L_offset + triangle.triangle + place.begin + place.begin * triangle.ld;
  for (int c = 0; c < BLOCK; ++c) {
    if (l >= c) block_l[c * BLOCK + l] = l < width ? from[l + c * triangle.ld] : (real)(l == c);
  }
  LOCAL_BARRIER();

  real x[BLOCK];
  for (int begin = 0; begin < BLOCK; begin += STEP) {
    StepBlock step;
    real unit[STEP];
#pragma unroll
    for (int j = 0; j < STEP; ++j) {
      __local const real* row = block_l + begin * BLOCK + begin + j;
#pragma unroll
      for (int c = 0; c < STEP; ++c) {
        if (c < j) step.l[j][c] = row[c * BLOCK];
      }
      step.reciprocal[j] = 1 / row[j * BLOCK];
      unit[j] = begin + j == l;
    }
    solve_step(x + begin, subtract_solved(GATHERED8(unit), x, block_l, begin), &step);
  }
  // Work-item l has column l: rows above l came out as exact zeros, unless L has infinities.
  __global real* to =
      inverses + inverses_offset + triangle.inverses + (Offset)place.begin * BLOCK + l * BLOCK;
  for (int r = 0; r < BLOCK; ++r) to[r] = r < l ? 0 : x[r];
}
