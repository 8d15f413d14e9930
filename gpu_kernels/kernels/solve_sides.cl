// What the solves over fronts of front_solve.cl and subtree_solve.cl share: the operands, and how
// products with a few right-hand sides are given to the tensor cores.
//
//   operand      shape               storage                                       access
//   fronts       list of SolveFront, made by make_front_solve()                    read
//   source_ptr,  rows of vectors that the children add to row i of a front:        read
//   sources      sources[source_ptr[rows + i] .. source_ptr[rows + i + 1])
//   rowind       rows of x of all fronts                                           read
//   panels       nrow x ncol each    column-major, ld ldp, diagonal and below      read
//   inverses     BLOCK x BLOCK each  column-major, inverted diagonal blocks        read
//   x            n x nrhs            row-major; columns [first, first + count)     read, written
//   vectors      rows x count        row-major: the fronts' update rows            written, read
//
// Padding of an odd nrow is read, and counts for nothing.
#include "common.cl"
#include "front_solve_args.h"
#include "nvidia_ptx.cl"

// Right-hand sides of a launch at most: 1, 2, 4, 8 or 16.
#ifndef RHS
#define RHS 1
#endif
#define GROUP 128
#define WARPS (GROUP / 32)
// Blocks of eight right-hand sides, as products have them.
#define SIDE_BLOCKS ((RHS + 7) / 8)

typedef struct Solve {
  Index nrhs, count;
  __global const SolveFront* fronts;
  __global const Index* source_ptr;
  __global const Index* sources;
  __global const Index* rowind;
  __global const double* panels;
  __global const double* inverses;
  __global double* x;  // Column `first`.
  __global double* vectors;
} Solve;

// The first arguments of all kernels, in this order, and what they become.
#define SOLVE_PARAMETERS                                                                         \
  Index nrhs, Index first, Index count, __global const SolveFront *fronts, Offset fronts_offset, \
      __global const Index *source_ptr, Offset source_ptr_offset, __global const Index *sources, \
      Offset sources_offset, __global const Index *rowind, Offset rowind_offset,                 \
      __global const double *panels, Offset panels_offset, __global const double *inverses,      \
      Offset inverses_offset, __global double *x, Offset x_offset, __global double *vectors,     \
      Offset vectors_offset
#define SOLVE                                                                                      \
  {                                                                                                \
    nrhs, count, fronts + fronts_offset, source_ptr + source_ptr_offset, sources + sources_offset, \
        rowind + rowind_offset, panels + panels_offset, inverses + inverses_offset,                \
        x + x_offset + first, vectors + vectors_offset                                             \
  }

INLINE __global double* row_of_x(__private const Solve* solve, Index row) {
  return solve->x + (Offset)row * solve->nrhs;
}
INLINE __global double* row_of_vectors(__private const Solve* solve, Offset row) {
  return solve->vectors + row * solve->count;
}

// ---- Products -----------------------------------------------------------------------------------

// Products with L have 16 rows of the result and eight terms in an instruction, mma_m16n8k8.
// Result and terms come in orders that make two neighbours of a column of L one load of 16 bytes:
// lane 4g + t has
//
//   of L x    rows 2g, 2g + 1 of the result, columns t, t + 4 of L
//   of L' x   columns g, g + 8 of L, rows 2t, 2t + 1
#define LANE_G (get_local_id(0) % 32 / 4)
#define LANE_T (get_local_id(0) % 4)

// Row of the result that element e of a lane's accumulators belongs to; the right-hand sides are
// 2t, 2t + 1 of eight.
INLINE int result_row(int e, const bool transposed) {
  return transposed ? LANE_G + 8 * (e / 2) : 2 * LANE_G + e / 2;
}
INLINE int result_side(int side_block, int e) { return 8 * side_block + 2 * LANE_T + e % 2; }
// Row of the operand x that term q of a lane is.
INLINE int term_row(int q, const bool transposed) {
  return transposed ? 2 * LANE_T + q : LANE_T + 4 * q;
}

// A part of a panel: `rows` x `columns` entries from `from` on.
typedef struct Part {
  __global const double* from;
  Offset ld;
  int rows, columns;
} Part;

INLINE double2 load_pair(__private const Part* part, int row, int column) {
  double2 entries = pair(0.0, 0.0);
  if (row < part->rows && column < part->columns) {
    entries = load_streamed((__global const double2*)(part->from + row + column * part->ld));
  }
  return entries;
}

// The operand of one instruction: from row and column on 16 x 8 entries, 8 x 16 when transposed.
// Zeros in columns that are not there, and in rows that are not there when transposed.
INLINE void load_entries(__private double a[4], __private const Part* part, int row, int column,
                         const bool transposed) {
  if (transposed) {
    const int r = row + 2 * LANE_T, c = column + LANE_G;
    const double2 p = load_pair(part, r, c), q = load_pair(part, r, c + 8);
    const bool both = r + 1 < part->rows;
    a[0] = p.x;
    a[1] = q.x;
    a[2] = both ? p.y : 0.0;
    a[3] = both ? q.y : 0.0;
  } else {
    const int r = row + 2 * LANE_G, c = column + LANE_T;
    const double2 p = load_pair(part, r, c), q = load_pair(part, r, c + 4);
    a[0] = p.x;
    a[1] = p.y;
    a[2] = q.x;
    a[3] = q.y;
  }
}
