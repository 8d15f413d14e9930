// Declarations that front_solve.cl and subtree_solve.cl share: the operands, and products of L with
// a few right-hand sides on tensor cores.
//
//   operand      shape               storage                                       access
//   fronts       list of SolveFront, made by make_front_solve()                    read
//   source_ptr,  row numbers in `vectors` of the entries that children add to      read
//   sources      row i of a front: sources[source_ptr[rows + i]] to
//                sources[source_ptr[rows + i + 1] - 1]
//   rowind       row numbers in x of all fronts                                    read
//   panels       nrow x ncol each    column-major, ld ldp, diagonal and below      read
//   inverses     BLOCK x BLOCK each  column-major, inverted diagonal blocks        read
//   x            n x nrhs            row-major; columns [first, first + count)     read, written
//   vectors      rows x count        row-major: the fronts' update rows            written, read
//
// The padding row of an odd nrow is read, and does not influence results.
#include "runtime/common.cl"
#include "fronts/front_solve_args.h"
#include "runtime/nvidia_ptx.cl"

// Largest number of right-hand sides of a launch: 1, 2, 4, 8 or 16.
#ifndef RHS
#define RHS 1
#endif
#define GROUP 128
#define WARPS (GROUP / 32)
// Number of blocks of eight right-hand sides, the width of a tensor core instruction.
#define SIDE_BLOCKS ((RHS + 7) / 8)

typedef struct Solve {
  Index nrhs, count;  // Columns of x, and right-hand sides of this launch.
  __global const SolveFront* fronts;
  __global const Index* source_ptr;
  __global const Index* sources;
  __global const Index* rowind;
  __global const double* panels;
  __global const double* inverses;
  __global double* x;  // Entry (0, first) of x: the launch's first right-hand side.
  __global double* vectors;
} Solve;

// First parameters of all solve kernels, and the initializer of a Solve from them.
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

// Products with L by mma_m16n8k8: an instruction has 16 rows of the result and eight terms.  Rows
// of the result and terms are permuted so that two adjacent entries of a column of L are one load
// of 16 bytes.  Lane 4g + t has
//
//   of L x    rows 2g, 2g + 1 of the result, columns t, t + 4 of L
//   of L' x   columns g, g + 8 of L, rows 2t, 2t + 1
#define LANE_G (get_local_id(0) % 32 / 4)
#define LANE_T (get_local_id(0) % 4)

// Return the row of the result and the right-hand side that element e of a lane's accumulators
// belongs to.  Of each eight right-hand sides, the lane has 2t and 2t + 1.
INLINE int result_row(int e, const bool transposed) {
  return transposed ? LANE_G + 8 * (e / 2) : 2 * LANE_G + e / 2;
}
INLINE int result_side(int side_block, int e) { return 8 * side_block + 2 * LANE_T + e % 2; }
// Returns the row of the operand x that is term q of a lane.
INLINE int term_row(int q, const bool transposed) {
  return transposed ? 2 * LANE_T + q : LANE_T + 4 * q;
}

// A lane's entries of a block of L, in the order of the instruction's operands.
typedef struct Source {
  __global const double* from;  // The lane's first entry.
  Offset ld;
  int rows, columns;  // Rows and columns of the block from the first entry on; may be <= 0.
} Source;

// Returns the lane's Source when the warp begins at entry (row, column) of a block of rows x
// columns entries.
INLINE Source source_of(__global const double* block, Offset ld, int row, int rows, int column,
                        int columns, const bool transposed) {
  const int r = row + (transposed ? 2 * LANE_T : 2 * LANE_G);
  const int c = column + (transposed ? LANE_G : LANE_T);
  const Source source = {block + r + c * ld, ld, rows - r, columns - c};
  return source;
}

// Loads the lane's entries for step s of eight columns of L, or of eight rows when transposed: two
// pairs of adjacent entries, in columns 4 (transposed: 8) apart.  Entries outside of the block keep
// their value in `a`.  The caller must set them to finite numbers before, and multiply them by zero
// or not use the result.
INLINE void load_step(__private double a[4], __private const Source* source, int s,
                      const bool transposed) {
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int row = transposed ? 8 * s : 0, column = transposed ? 8 * q : 8 * s + 4 * q;
    load_streamed_if(&a[2 * q], &a[2 * q + 1], source->from + row + column * source->ld,
                     source->rows > row && source->columns > column);
  }
}
// Sets entries of a padding row to zero.  The last row of an odd number of rows is loaded together
// with padding.
INLINE void clear_padding(__private double a[4], int rows, int s) {
  if (rows == 8 * s + 1) a[1] = a[3] = 0;
}

// c += a * b, with `a` in the order of load_step().
INLINE void multiply_loaded(__private double c[4], __private const double a[4],
                            __private const double b[2], const bool transposed) {
  if (transposed) {
    const double operand[4] = {a[0], a[2], a[1], a[3]};
    mma_m16n8k8(c, operand, b);
  } else {
    mma_m16n8k8(c, a, b);
  }
}
