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
#include "runtime/common.cl"
#include "fronts/front_solve_args.h"
#include "runtime/nvidia_ptx.cl"

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

// Where a work-item has its entries of a block of L, from `from` on; those behind `rows` and
// `columns` are not there.  Lanes of a warp see them as the instructions' operands have them.
typedef struct Source {
  __global const double* from;
  Offset ld;
  int rows, columns;
} Source;

// What a warp begins at entry (row, column) of a block of rows x columns entries.
INLINE Source source_of(__global const double* block, Offset ld, int row, int rows, int column,
                        int columns, const bool transposed) {
  const int r = row + (transposed ? 2 * LANE_T : 2 * LANE_G);
  const int c = column + (transposed ? LANE_G : LANE_T);
  const Source source = {block + r + c * ld, ld, rows - r, columns - c};
  return source;
}

// Step s of eight columns of L, of eight rows when transposed: two pairs of neighbours in columns
// 4 (8) apart.  Entries that are not there stay what they were, so they must be numbers, and what
// they are multiplied by zero or not used.
INLINE void load_step(__private double a[4], __private const Source* source, int s,
                      const bool transposed) {
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int row = transposed ? 8 * s : 0, column = transposed ? 8 * q : 8 * s + 4 * q;
    load_streamed_if(&a[2 * q], &a[2 * q + 1], source->from + row + column * source->ld,
                     source->rows > row && source->columns > column);
  }
}
// The last row of an odd number has no neighbour: what was read there is padding.
INLINE void clear_padding(__private double a[4], int rows, int s) {
  if (rows == 8 * s + 1) a[1] = a[3] = 0;
}

// c += a * b; a as load_step() has it.
INLINE void multiply_loaded(__private double c[4], __private const double a[4],
                            __private const double b[2], const bool transposed) {
  if (transposed) {
    const double operand[4] = {a[0], a[2], a[1], a[3]};
    mma_m16n8k8(c, operand, b);
  } else {
    mma_m16n8k8(c, a, b);
  }
}
