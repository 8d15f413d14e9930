// Diagonal tiles: the Cholesky factor of 64 x 64.  After front_batch_tile.cl.

INLINE int is_pivot(double x) { return x >= SMALLEST_PIVOT && x <= LARGEST_PIVOT; }

// The 8 x 8 block on the diagonal, element (i, k) at block[k * STEP_LD + i]; rows from `live` on
// become those of the identity.
INLINE void load_block(double d[STEP][STEP], __local const double* block, int live) {
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
#pragma unroll
    for (int i = k / 2 * 2; i < STEP; i += 2) {
      const double2 x = *(__local const double2*)(block + k * STEP_LD + i);
      d[i][k] = x.x;
      d[i + 1][k] = x.y;
    }
  }
  if (live < STEP) {
#pragma unroll
    for (int k = 0; k < STEP; ++k) {
#pragma unroll
      for (int i = k; i < STEP; ++i) d[i][k] = i < live ? d[i][k] : (double)(i == k);
    }
  }
}

// Eliminates the `live` first columns of eight from a row, v: its entries.  Every work-item factors
// the block for itself, in registers: that costs less than handing columns on.  Two columns at a
// time, so that two roots are taken side by side:
//
//   [a b; b c] = L L',  det = a c - b^2:  1/l11 = a^-1/2,  1/l22 = a (a^-1/2 det^-1/2)
//
// Returns zero when a pivot or determinant is out of range; v and the rest are void then.
INLINE int eliminate_pairs(__local const double* block, double v[STEP], double reciprocal[STEP],
                           int live) {
  double d[STEP][STEP];
  int good = 1;
  load_block(d, block, live);
  if (live < STEP) {
#pragma unroll
    for (int k = 0; k < STEP; ++k) v[k] = k < live ? v[k] : 0.0;
  }
#pragma unroll
  for (int j = 0; j < STEP; j += 2) {
    const double a = d[j][j], b = d[j + 1][j], det = fma(a, d[j + 1][j + 1], -b * b);
    good &= is_pivot(a) & is_pivot(det);
    const double root_a = reciprocal_sqrt(a), root = root_a * reciprocal_sqrt(det);
    reciprocal[j] = root_a;
    reciprocal[j + 1] = a * root;
    const double v0 = v[j], v1 = v[j + 1];
    v[j] = v0 * root_a;
    v[j + 1] = fma(a, v1, -b * v0) * root;
#pragma unroll
    for (int i = j + 2; i < STEP; ++i) {
      const double d0 = d[i][j], d1 = d[i][j + 1];
      d[i][j] = d0 * root_a;
      d[i][j + 1] = fma(a, d1, -b * d0) * root;
    }
#pragma unroll
    for (int c = j + 2; c < STEP; ++c) {
#pragma unroll
      for (int i = c; i < STEP; ++i) {
        d[i][c] = fma(-d[i][j + 1], d[c][j + 1], fma(-d[i][j], d[c][j], d[i][c]));
      }
      v[c] = fma(-v[j + 1], d[c][j + 1], fma(-v[j], d[c][j], v[c]));
    }
  }
  return good;
}

// The same, one column at a time: the rare path.  `row` is the work-item's row of the eight
// columns, own = its number less the block's first.  Columns from the first pivot on that fails
// become those of the identity, that is, v[k] becomes own == k.  Returns how many were good;
// *failed is that pivot.  Works on arrays of its own, so that only this path pays if they do not
// fit in registers.
INLINE int eliminate_columns(__local const double* block, __local const double* row, double v[STEP],
                             double reciprocal[STEP], int live, int own, __private double* failed) {
  double d[STEP][STEP], x[STEP], r[STEP];
  load_block(d, block, live);
#pragma unroll
  for (int k = 0; k < STEP; ++k) x[k] = row[k * STEP_LD];
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
    if (k < live && !is_pivot(d[k][k])) {
      *failed = d[k][k];
      live = k;
    }
    const int good = k < live;
    r[k] = good ? reciprocal_sqrt(d[k][k]) : 1.0;
    x[k] = good ? x[k] * r[k] : (double)(own == k);
#pragma unroll
    for (int i = k + 1; i < STEP; ++i) d[i][k] = good ? d[i][k] * r[k] : 0.0;
#pragma unroll
    for (int c = k + 1; c < STEP; ++c) {
#pragma unroll
      for (int i = c; i < STEP; ++i) d[i][c] = fma(-d[i][k], d[c][k], d[i][c]);
      x[c] = fma(-x[k], d[c][k], x[c]);
    }
  }
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
    v[k] = x[k];
    reciprocal[k] = r[k];
  }
  return live;
}

// acc(16 columns from 16 q on) += X * X' of eight eliminated columns, for the warp's 16 rows.
INLINE void update_columns(__private Rows* acc, double a[2][2], __local const double* x,
                           const int q) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const double2 columns = *(__local const double2*)(x + 4 * h * STEP_LD + 16 * q);
    const double even[1] = {columns.x}, odd[1] = {columns.y};
    mma_m16n8k4(acc->at[0][2 * q], a[h], even);
    mma_m16n8k4(acc->at[0][2 * q + 1], a[h], odd);
  }
}

// Eight columns of a row of L, which local memory has by columns: to the panel and, for panel
// tiles, to the workspace.
INLINE void store_row(__local const double* factored, const Place at, __global double* factor,
                      int row, int step) {
  const int first = step * STEP;
  __local const double* const from = factored + first * STEP_LD + row;
  double v[STEP];
#pragma unroll
  for (int k = 0; k < STEP; ++k) v[k] = from[k * STEP_LD];
  __global double* const to = at.panel + at.row + row + (at.column + first) * at.ldp;
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
    const bool is_stored =
        row >= first + k && at.row + row < at.nrow && at.column + first + k < at.ncol;
    if (is_stored) to[k * at.ldp] = v[k];
  }
  if (row / SMALL < step / 2) return;
  __global double* const small = factor + SMALL_BLOCK(row / SMALL, step / 2);
#pragma unroll
  for (int k = 0; k < STEP; k += 2) {
    *(__global double2*)(small + SMALL_PLACE(row % SMALL, STEP * (step % 2) + k)) =
        pair(v[k], v[k + 1]);
  }
}

// L11 := chol(-acc), in steps of eight columns.  A warp has 16 rows; while columns are eliminated,
// work-items l and l + 16 of it have the same row and store half of it each.  Once the first warp's
// rows are done, it stores what is final, so that no step of the others waits for that.
INLINE void factor_diagonal(__private Rows* acc, __local double* room, const Place at,
                            __global double* factor, __global PivotStatus* status) {
  __local double* const block = room;                      // -acc's next columns
  __local double* const factored = room + STEP * STEP_LD;  // L's
  const int lane = get_local_id(0) % 32, warp = get_local_id(0) / 32, g = lane / 4, t = lane % 4;
  const int second = lane / 16, own = 16 * warp + lane % 16;
  const Index width = min(BLOCK, at.ncol - at.column);
  const int steps = (width + STEP - 1) / STEP;
  // Good columns of the tile, as far as is known; none when an earlier tile had a failure.
  int good = load_acquire(&status->column) >= 0 ? 0 : width;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int first = s * STEP;
    const bool active = own / 16 * 16 + 15 >= first;  // The warp has rows on or below the block.
    if (active && t / 2 == s % 2) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        *(__local double2*)(block + (4 * (t % 2) + e) * STEP_LD + 16 * warp + 2 * g) =
            pair(-acc->at[0][e % 2][e / 2], -acc->at[0][e % 2][2 + e / 2]);
      }
    }
    LOCAL_BARRIER();
    __local double* const columns = factored + first * STEP_LD;
    if (active) {
      double v[STEP], reciprocal[STEP];
#pragma unroll
      for (int k = 0; k < STEP; ++k) v[k] = block[k * STEP_LD + own];
      const int live = clamp(good - first, 0, STEP);
      if (live == 0 || !eliminate_pairs(block + first, v, reciprocal, live)) {
        double failed = 0;
        const int found = eliminate_columns(block + first, block + own, v, reciprocal, live,
                                            own - first, &failed);
        if (found < live) {
          good = first + found;
          if (warp == WARPS - 1 && lane == 0) {
            status->column = at.column + good;
            status->value = failed;
          }
        }
      }
#pragma unroll
      for (int k = 0; k < STEP; k += 2) {
        columns[(k + second) * STEP_LD + own] = second ? v[k + 1] : v[k];
      }
      if (warp == WARPS - 1 && lane == 0) {
#pragma unroll
        for (int k = 0; k < STEP; k += 2) {
          *(__global double2*)(factor + RECIPROCALS + first + k) =
              pair(reciprocal[k], reciprocal[k + 1]);
        }
      }
    } else if (warp == 0) {
      store_row(factored, at, factor, lane, s - 2);
      store_row(factored, at, factor, lane + 32, s - 2);
    }
    LOCAL_BARRIER();
    if (active) {
      // acc += L(rows, 8 columns) * L(columns, 8 columns)'
      double a[2][2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const double2 x =
            *(__local const double2*)(columns + (t + 4 * h) * STEP_LD + 16 * warp + 2 * g);
        a[h][0] = x.x;
        a[h][1] = x.y;
      }
      __local const double* const b = columns + t * STEP_LD + 16 * (s / 2) + 2 * g;
      update_columns(acc, a, b, 0);
      if (s < 6) {
        update_columns(acc, a, b, 1);
        if (s < 4) {
          update_columns(acc, a, b, 2);
          if (s < 2) update_columns(acc, a, b, 3);
        }
      }
    }
    if (s % 2 == 1) drop_columns(acc, 1);
  }
  // What the first warp has not come to: the last two steps.
  const int step = max(steps - 2, 0) + (int)get_local_id(0) / BLOCK;
  if (step < steps) store_row(factored, at, factor, get_local_id(0) % BLOCK, step);
  if (warp == WARPS - 1 && lane == 0) factor[GOOD_COLUMNS] = good;
}
