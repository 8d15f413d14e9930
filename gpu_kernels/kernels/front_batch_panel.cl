// Panel tiles: rows below a diagonal tile, solved with its factor.  After front_batch_tile.cl.

// M := M^-1 of the warp's own 16 x 16 lower triangle; a lane has a column of the inverse.
INLINE void invert_small(__local double* M, __local const double* reciprocal) {
  const int lane = get_local_id(0) % 32, c = lane % 16;
  double x[SMALL];
#pragma unroll
  for (int i = 0; i < SMALL; ++i) {
    // x(i) = (delta(i, c) - sum over k < i of M(i, k) x(k)) / M(i, i), in two sums.
    double even = i == c ? 1.0 : 0.0, odd = 0.0;
#pragma unroll
    for (int k = 0; k < i; k += 2) {
      const double2 m = *(__local const double2*)(M + SMALL_PLACE(i, k));
      even = fma(-m.x, x[k], even);
      if (k + 1 < i) odd = fma(-m.y, x[k + 1], odd);
    }
    x[i] = i < c ? 0.0 : (even + odd) * reciprocal[i];
  }
  warp_barrier();
  if (lane < SMALL) {
#pragma unroll
    for (int i = 0; i < SMALL; ++i) M[SMALL_PLACE(i, c)] = x[i];
  }
}

// Two block columns of accumulators as the left operand of a product of depth 16: column 4t + q of
// the 16 is the lane's q-th.  The order of k is free as long as both operands have it.
INLINE void as_left(double a[8], const double even[4], const double odd[4]) {
  a[0] = even[0], a[1] = even[2];
  a[2] = odd[0], a[3] = odd[2];
  a[4] = even[1], a[5] = even[3];
  a[6] = odd[1], a[7] = odd[3];
}
// Row n of a small block as the right operand in that order.
INLINE void load_right(double b[4], __local const double* M, int n) {
  const int t = get_local_id(0) % 4;
  const double2 low = *(__local const double2*)(M + SMALL_PLACE(n, 4 * t));
  const double2 high = *(__local const double2*)(M + SMALL_PLACE(n, 4 * t + 2));
  b[0] = low.x, b[1] = low.y, b[2] = high.x, b[3] = high.y;
}

// acc(16 columns from 16 q on) += X * M'
INLINE void update_small(__private Rows* acc, double x[SOLVED_ROW_BLOCKS][8],
                         __local const double* M, const int q) {
  const int g = get_local_id(0) % 32 / 4;
#pragma unroll
  for (int odd = 0; odd < 2; ++odd) {
    double b[4];
    load_right(b, M, 2 * g + odd);
#pragma unroll
    for (int i = 0; i < SOLVED_ROW_BLOCKS; ++i) mma_m16n8k16(acc->at[i][2 * q + odd], x[i], b);
  }
}

// X := -acc(first 16 columns) * inverse'
INLINE void solve_small(double x[SOLVED_ROW_BLOCKS][8], __private const Rows* acc,
                        __local const double* inverse) {
  const int g = get_local_id(0) % 32 / 4;
  double even[4], odd[4];
  load_right(even, inverse, 2 * g);
  load_right(odd, inverse, 2 * g + 1);
#pragma unroll
  for (int i = 0; i < SOLVED_ROW_BLOCKS; ++i) {
    double y[8], x_even[4] = {0, 0, 0, 0}, x_odd[4] = {0, 0, 0, 0};
    as_left(y, acc->at[i][0], acc->at[i][1]);
#pragma unroll
    for (int e = 0; e < 8; ++e) y[e] = -y[e];
    mma_m16n8k16(x_even, y, even);
    mma_m16n8k16(x_odd, y, odd);
    as_left(x[i], x_even, x_odd);
  }
}

// Rows 2g, 2g + 1 of every row block, columns column .. column + 3 of the panel := x.
INLINE void store_small(const Place at, double x[SOLVED_ROW_BLOCKS][8], Index row, Index column) {
  __global double* const to = at.panel + row + column * at.ldp;
  if (at.row + TILE_M <= at.nrow && column - solved_column() + SMALL <= at.ncol) {
#pragma unroll
    for (int i = 0; i < SOLVED_ROW_BLOCKS; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        *(__global double2*)(to + 16 * i + e * at.ldp) = pair(x[i][2 * e], x[i][2 * e + 1]);
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < SOLVED_ROW_BLOCKS; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (column + e < at.ncol) {
          __global double* const two = to + 16 * i + e * at.ldp;
          if (row + 16 * i < at.nrow) two[0] = x[i][2 * e];
          if (row + 16 * i + 1 < at.nrow) two[1] = x[i][2 * e + 1];
        }
      }
    }
  }
}

// L21 := -acc L11^-T, 16 columns at a time: X = Y inv(L_jj)', Y_q -= X L_qj'.
INLINE void solve_panel(__private Rows* acc, __local double* room, const Place at,
                        __global const double* factor) {
  const LocalAddress to = local_address(room);
  for (int e = 2 * get_local_id(0); e < FACTOR_SIZE; e += 2 * GROUP) {
    copy_async_16(to + 8 * e, factor + e, 1);
  }
  copy_commit();
  COPY_WAIT(0);
  LOCAL_BARRIER();
  const int warp = get_local_id(0) / 32;
  invert_small(room + SMALL_BLOCK(warp, warp), room + RECIPROCALS + SMALL * warp);
  LOCAL_BARRIER();

  const Index width = min(BLOCK, at.ncol - at.column);
  const int good = room[GOOD_COLUMNS];
#pragma unroll 1
  for (int j = 0; j * SMALL < width; ++j) {
    double x[SOLVED_ROW_BLOCKS][8];
    solve_small(x, acc, room + SMALL_BLOCK(j, j));
    // Columns from a pivot on that failed are those of the identity.
    if (good < (j + 1) * SMALL) {
#pragma unroll
      for (int i = 0; i < SOLVED_ROW_BLOCKS; ++i) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          x[i][e] = j * SMALL + solved_column() + e / 2 < good ? x[i][e] : 0.0;
        }
      }
    }
    // Nested, because conditions around single products would become predicates, and every
    // accumulator would be copied before and after each.
    if (j < 3) {
      update_small(acc, x, room + SMALL_BLOCK(j + 1, j), 1);
      if (j < 2) {
        update_small(acc, x, room + SMALL_BLOCK(j + 2, j), 2);
        if (j < 1) update_small(acc, x, room + SMALL_BLOCK(j + 3, j), 3);
      }
    }
    store_small(at, x, at.row + solved_row(TILE_M), at.column + j * SMALL + solved_column());
    drop_columns(acc, SOLVED_ROW_BLOCKS);
  }
}
