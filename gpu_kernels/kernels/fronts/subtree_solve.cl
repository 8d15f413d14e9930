// Forward and backward solve with subtrees of small fronts, of at most MOST_COLUMNS pivot columns,
// for up to RHS right-hand sides.  For each front, as in front_solve.cl:
//
//   forward    w := [x1; 0] + sum over children, in order, of their update rows
//              x1 := L11^-1 w1,  update rows := w2 - L21 x1
//   backward   x1 := L11^-T (x1 - L21' x2)
//
//   operand      shape                     storage                                 access
//   subtree_ptr  num_subtrees + 1          subtree s has fronts [subtree_ptr[s],   read
//                                          subtree_ptr[s + 1]), children before
//                                          their parents
//   and the operands of solve_sides.cl, except inverses: x is computed by substitution
//
// A warp solves with a subtree, front by front, backward in reverse order; so only the lanes of a
// warp wait for each other.  A lane has a row of the front forward, and a column backward.
// Products with L' are sums over rows, which tensor cores compute.
//
// subtree_forward must be complete before front_solve_forward starts; subtree_backward runs after
// front_solve_backward.  Work-groups of GROUP = 128 work-items, with WARPS subtrees; local memory
// WARPS MOST_COLUMNS RHS values forward, WARPS MOST_COLUMNS (RHS + LD_TRIANGLE) backward.
#include "fronts/solve_sides.cl"

#define MOST_COLUMNS 32
#define LD_TRIANGLE (MOST_COLUMNS + 1)
#define COLUMNS_AT_A_TIME 8
#define LANE ((int)get_local_id(0) % 32)

// ---- Forward ------------------------------------------------------------------------------------

INLINE void load_row(__private double v[RHS], __global const double* from, bool present,
                     int count) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) v[r] = present && r < count ? from[r] : 0.0;
}
INLINE void store_row(__global double* to, __private const double v[RHS], int count) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) {
    if (r < count) to[r] = v[r];
  }
}

// v := right-hand sides of row i of the front + the children's entries.
INLINE void assemble_row(__private double v[RHS], __private const Solve* solve,
                         __private const SolveFront* front, Index i) {
  const bool pivot = i < front->ncol;
  load_row(v, row_of_x(solve, front->first_column + (pivot ? i : 0)), pivot, solve->count);
  if (i < front->nrow) {
    const Index end = solve->source_ptr[front->rows + i + 1];
    for (Index e = solve->source_ptr[front->rows + i]; e < end; ++e) {
      double entry[RHS];
      load_row(entry, row_of_vectors(solve, solve->sources[e]), true, solve->count);
#pragma unroll
      for (int r = 0; r < RHS; ++r) v[r] += entry[r];
    }
  }
}

// Loads row i of L in COLUMNS_AT_A_TIME columns from `first` on; zeros above the diagonal and
// outside of the panel.
INLINE void load_columns(__private double l[COLUMNS_AT_A_TIME], __private const Solve* solve,
                         __private const SolveFront* front, Index i, Index first) {
  __global const double* const from = solve->panels + front->panel + i + first * front->ldp;
#pragma unroll
  for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
    l[c] =
        i < front->nrow && first + c < front->ncol && i >= first + c ? from[c * front->ldp] : 0.0;
  }
}

INLINE void subtract_product(__private double v[RHS], double l, __local const double* row) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) v[r] -= l * row[r];
}

// Returns the reciprocal of the diagonal entry of L in the lane's row.
INLINE double inverse_pivot(__private const Solve* solve, __private const SolveFront* front) {
  const Index i = LANE;
  double pivot = 1;
  if (i < front->ncol) pivot = solve->panels[front->panel + i + i * front->ldp];
  return 1 / pivot;
}

// v := scale * v; the other lanes find v in the lane's row of `rows`.
INLINE void share_row(__local double* rows, __private double v[RHS], double scale) {
#pragma unroll
  for (int r = 0; r < RHS; ++r) {
    v[r] *= scale;
    rows[LANE * RHS + r] = v[r];
  }
}

// For rows 0 to 31, with a row in each lane: computes y := L11^-1 w1 in local memory, and
// v := w2 - L21 y in update rows.
INLINE void eliminate_columns(__private double v[RHS], __private const Solve* solve,
                              __private const SolveFront* front, __local double* y) {
  const double inverse = inverse_pivot(solve, front);
#pragma unroll 1
  for (Index first = 0; first < front->ncol; first += COLUMNS_AT_A_TIME) {
    double l[COLUMNS_AT_A_TIME];
    load_columns(l, solve, front, LANE, first);
#pragma unroll
    for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
      const Index j = first + c;
      if (j < front->ncol) {
        if (LANE == j) share_row(y, v, inverse);
        warp_barrier();
        if (LANE > j) subtract_product(v, l[c], y + j * RHS);
      }
    }
  }
}

// v := v - L(i, :) y, for a row i >= 32.
INLINE void subtract_columns(__private double v[RHS], __private const Solve* solve,
                             __private const SolveFront* front, Index i, __local const double* y) {
#pragma unroll 1
  for (Index first = 0; first < front->ncol; first += COLUMNS_AT_A_TIME) {
    double l[COLUMNS_AT_A_TIME];
    load_columns(l, solve, front, i, first);
#pragma unroll
    for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
      if (first + c < front->ncol) subtract_product(v, l[c], y + (first + c) * RHS);
    }
  }
}

INLINE void forward_front(__private const Solve* solve, const SolveFront front, __local double* y) {
#pragma unroll 1
  for (Index row = 0; row < front.nrow; row += 32) {
    const Index i = row + LANE;
    double v[RHS];
    assemble_row(v, solve, &front, i);
    if (row == 0) {
      eliminate_columns(v, solve, &front, y);
    } else {
      subtract_columns(v, solve, &front, i, y);
    }
    if (i < front.ncol) {
      store_row(row_of_x(solve, front.first_column + i), v, solve->count);
    } else if (i < front.nrow) {
      store_row(row_of_vectors(solve, front.vector + i - front.ncol), v, solve->count);
    }
  }
  warp_barrier();  // The next front reads the stored rows and overwrites y.
}

// ---- Backward -----------------------------------------------------------------------------------

// A warp's local memory.
typedef struct WarpRoom {
  __local double* triangle;  // L11, by columns.
  __local double* rows;      // MOST_COLUMNS x RHS, by rows.
} WarpRoom;

// triangle := L11, its diagonal and the entries below.
INLINE void copy_triangle(__local double* triangle, __private const Solve* solve,
                          __private const SolveFront* front) {
#pragma unroll 1
  for (Index first = 0; first < front->ncol; first += COLUMNS_AT_A_TIME) {
    double l[COLUMNS_AT_A_TIME];
    load_columns(l, solve, front, LANE, first);
#pragma unroll
    for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
      if (first + c < front->ncol) triangle[(first + c) * LD_TRIANGLE + LANE] = l[c];
    }
  }
}

// Loads the lane's terms of a product: x in rows row + 2t and row + 2t + 1 of the front, right-hand
// side g of each eight.  Terms outside of the update rows are zero.
INLINE void load_terms(__private double b[SIDE_BLOCKS][2], __private const Solve* solve,
                       __private const SolveFront* front, Index row) {
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const Index i = row + term_row(q, true);
    const bool present = i >= front->ncol && i < front->nrow;
    Index from = 0;
    if (present && LANE_G < solve->count) from = solve->rowind[front->rows + i];
#pragma unroll
    for (int n = 0; n < SIDE_BLOCKS; ++n) {
      const int side = 8 * n + LANE_G;
      b[n][q] = present && side < solve->count ? row_of_x(solve, from)[side] : 0.0;
    }
  }
}

// rows := L21' x2, for columns `first` to `first` + 15 of L21.
#define STEPS_AT_A_TIME 4
INLINE void multiply_rows(__local double* rows, __private const Solve* solve,
                          __private const SolveFront* front, Index first) {
  double c[SIDE_BLOCKS][4];
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) c[n][e] = 0;
  }
  __global const double* const panel = solve->panels + front->panel;
#pragma unroll 1
  for (Index row = front->ncol / 2 * 2; row < front->nrow; row += 8 * STEPS_AT_A_TIME) {
    const Source source = source_of(panel, front->ldp, row, front->nrow, first, front->ncol, true);
    double a[STEPS_AT_A_TIME][4], b[STEPS_AT_A_TIME][SIDE_BLOCKS][2];
#pragma unroll
    for (int s = 0; s < STEPS_AT_A_TIME; ++s) {
      a[s][0] = a[s][1] = a[s][2] = a[s][3] = 0;
      load_step(a[s], &source, s, true);
    }
#pragma unroll
    for (int s = 0; s < STEPS_AT_A_TIME; ++s) load_terms(b[s], solve, front, row + 8 * s);
#pragma unroll
    for (int s = 0; s < STEPS_AT_A_TIME; ++s) {
      clear_padding(a[s], source.rows, s);
#pragma unroll
      for (int n = 0; n < SIDE_BLOCKS; ++n) multiply_loaded(c[n], a[s], b[s][n], true);
    }
  }
#pragma unroll
  for (int n = 0; n < SIDE_BLOCKS; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int side = result_side(n, e);
      if (side < RHS) rows[(first + result_row(e, true)) * RHS + side] = c[n][e];
    }
  }
}

// v := L11^-T v.  Every lane has a row of v.
INLINE void eliminate_rows(__private double v[RHS], __private const WarpRoom* room, Index ncol,
                           double inverse) {
#pragma unroll 1
  for (Index j = ncol - 1; j >= 0; --j) {
    if (LANE == j) share_row(room->rows, v, inverse);
    warp_barrier();
    if (LANE < j) {
      subtract_product(v, room->triangle[LANE * LD_TRIANGLE + j], room->rows + j * RHS);
    }
  }
}

INLINE void backward_front(__private const Solve* solve, const SolveFront front,
                           __private const WarpRoom* room) {
  const bool own = LANE < front.ncol;
  __global double* const x = row_of_x(solve, front.first_column + (own ? LANE : 0));
  double v[RHS];
  load_row(v, x, own, solve->count);
  const double inverse = inverse_pivot(solve, &front);
  copy_triangle(room->triangle, solve, &front);
#pragma unroll 1
  for (Index first = 0; first < front.ncol; first += 16) {
    multiply_rows(room->rows, solve, &front, first);
  }
  warp_barrier();
  if (own) {
#pragma unroll
    for (int r = 0; r < RHS; ++r) v[r] -= room->rows[LANE * RHS + r];
  }
  warp_barrier();
  eliminate_rows(v, room, front.ncol, inverse);
  if (own) store_row(x, v, solve->count);
  warp_barrier();  // The next front reads the stored rows and overwrites the room.
}

// ---- Kernels ------------------------------------------------------------------------------------

// Returns the number of the warp's subtree, which may be num_subtrees or more.
INLINE Index subtree_of_warp(void) {
  return (Index)get_group_id(0) * WARPS + (Index)get_local_id(0) / 32;
}

__kernel WORK_GROUP(GROUP) void subtree_forward(SOLVE_PARAMETERS, Index num_subtrees,
                                                __global const Index* subtree_ptr,
                                                Offset subtree_ptr_offset) {
  LOCAL_ARRAY(double, y, WARPS* MOST_COLUMNS* RHS);
  const Solve solve = SOLVE;
  const Index s = subtree_of_warp();
  if (s < num_subtrees) {
    const Index end = subtree_ptr[subtree_ptr_offset + s + 1];
    for (Index f = subtree_ptr[subtree_ptr_offset + s]; f < end; ++f) {
      forward_front(&solve, solve.fronts[f],
                    y + (Index)get_local_id(0) / 32 * (MOST_COLUMNS * RHS));
    }
  }
}

__kernel WORK_GROUP(GROUP) void subtree_backward(SOLVE_PARAMETERS, Index num_subtrees,
                                                 __global const Index* subtree_ptr,
                                                 Offset subtree_ptr_offset) {
  LOCAL_ARRAY(double, triangles, WARPS* MOST_COLUMNS* LD_TRIANGLE);
  LOCAL_ARRAY(double, rows, WARPS* MOST_COLUMNS* RHS);
  const Solve solve = SOLVE;
  const Index s = subtree_of_warp(), warp = (Index)get_local_id(0) / 32;
  const WarpRoom room = {triangles + warp * (MOST_COLUMNS * LD_TRIANGLE),
                         rows + warp * (MOST_COLUMNS * RHS)};
  if (s < num_subtrees) {
    const Index begin = subtree_ptr[subtree_ptr_offset + s];
    for (Index f = subtree_ptr[subtree_ptr_offset + s + 1] - 1; f >= begin; --f) {
      backward_front(&solve, solve.fronts[f], &room);
    }
  }
}
