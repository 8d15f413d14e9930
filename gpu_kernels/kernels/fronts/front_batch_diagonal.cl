// Diagonal tiles: the Cholesky factor of 64 x 64.  After front_batch_blocks.cl.
//
// A warp has 16 rows, and their block on the diagonal in the end.  It solves its rows with one
// inverted block after another, as those of the warps above get ready, and subtracts products from
// what is right of them; then it factors its own block, and inverts it on the way:
//
//   [ D ]          [    L    ]
//   [ I ]  L^-T =  [ inv(L)' ]
//
// One warp after the other is on the critical path, each with its own 16 rows alone; the other
// products, and all stores but the last, are made beside it.
//
//   barrier   meets                                            after it, in local memory
//   1 + s     warp s and those after it; the first too,        block s is inverted
//             unless the block is the last
//   4 + s     the warps after s, and the first                 their rows of block column s
//   7         the first warp and that of the last block        all but the last is passed on

// Local memory: solved blocks (p, q) below the diagonal; for each warp its block on the diagonal,
// and below that the identity, which becomes the inverse; what rows show each other.
#define SOLVED_BLOCK(p, q) (SMALL_BLOCK(p, q) - ((q) + 1) * SMALL_SIZE)
#define WORK(s) (SOLVED_BLOCK(WARPS, WARPS - 1) + (s)*WORK_SIZE)
#define SHOWN_PAIRS WORK(WARPS)                  // Twice SMALL rows of two columns.
#define SHOWN_AHEAD (SHOWN_PAIRS + 4 * SMALL)    // SMALL rows of four.
#if SHOWN_AHEAD + 4 * SMALL > ROOM
#error "no room for diagonal tiles"
#endif

// Normal, positive, finite: by the word with the exponent, which costs no double precision.
INLINE int is_pivot(double x) { return high_word(x) - 0x00100000u < 0x7fe00000u; }
// From 2^-exponent to 2^exponent.
INLINE int is_moderate(double x, const uint exponent) {
  return high_word(x) - ((1023u - exponent) << 20) < (2 * exponent) << 20;
}

// Factors a block of which the `live` first columns exist, and inverts it.  A work-item has a row
// of both, v: of the block, or of the identity from the 17th work-item on.  Two columns at a time,
// so that two roots are taken side by side:
//
//   [a b; b c] = L L',  det = a c - b^2:  1/l11 = a^-1/2,  1/l22 = a (a^-1/2 det^-1/2)
//
// a, b, c of the next two columns, and what they need, every work-item computes for itself, from
// what the two rows have shown before: so that nothing is handed on between one root and the next.
// Returns zero when a number is not as moderate as makes det / a a normal number, and products of
// three numbers no infinite ones; v is void then.
INLINE int eliminate_pairs(double v[SMALL], __local double* room, int live) {
  const int lane = get_local_id(0) % 32;
  const bool shows = lane < live;
  __local double* const ahead = room + SHOWN_AHEAD;
  int good = 1;
  if (live < SMALL) {
#pragma unroll
    for (int k = 0; k < SMALL; ++k) v[k] = k < live ? v[k] : 0.0;
    if (lane >= live && lane < SMALL) {
      // Of the identity, as others see it.
      put_pair(room + SHOWN_PAIRS + 2 * lane, 0, 0);
      put_pair(room + SHOWN_PAIRS + 2 * (SMALL + lane), 0, 0);
      put_pair(ahead + 4 * lane, 0, 0);
      put_pair(ahead + 4 * lane + 2, lane % 2 == 0, lane % 2);
    }
  }
  if (shows && lane < 4) {
    put_pair(ahead + 4 * lane + (lane < 2 ? 2 : 0), v[0], v[1]);
    if (lane >= 2) put_pair(ahead + 4 * lane + 2, v[2], v[3]);
  }
  warp_barrier();
  double a = ahead[2];
  const double2 second = read_pair(ahead + 6);
  double b = second.x, c = second.y;
  // Rows j + 2 and j + 3 in columns j, j + 1 and j + 2, j + 3, before columns j, j + 1 are gone.
  double2 e0 = read_pair(ahead + 8), f0 = read_pair(ahead + 10);
  double2 e1 = read_pair(ahead + 12), f1 = read_pair(ahead + 14);
#pragma unroll
  for (int j = 0; j < SMALL; j += 2) {
    __local double* const pairs = room + SHOWN_PAIRS + (j / 2 % 2) * 2 * SMALL;
    const double det = fma(a, c, -b * b);
    good &= is_moderate(a, 340) & is_moderate(c, 340) & is_moderate(det, 680);
    const double root_a = reciprocal_sqrt(a), root = root_a * reciprocal_sqrt(det);
    const double x = v[j] * root_a, y = fma(a, v[j + 1], -b * v[j]) * root;
    v[j] = x;
    v[j + 1] = y;
    if (j + 2 == SMALL) break;
    if (shows) put_pair(pairs + 2 * lane, x, y);
    const double x0 = e0.x * root_a, y0 = fma(a, e0.y, -b * e0.x) * root;
    const double x1 = e1.x * root_a, y1 = fma(a, e1.y, -b * e1.x) * root;
    a = fma(-y0, y0, fma(-x0, x0, f0.x));
    b = fma(-y0, y1, fma(-x0, x1, f1.x));
    c = fma(-y1, y1, fma(-x1, x1, f1.y));
    v[j + 2] = fma(-y, y0, fma(-x, x0, v[j + 2]));
    v[j + 3] = fma(-y, y1, fma(-x, x1, v[j + 3]));
    if (j + 4 == SMALL) continue;
    warp_barrier();
#pragma unroll
    for (int i = j + 4; i < j + 6; ++i) {
      const double2 other = read_pair(pairs + 2 * i);
      v[i] = fma(-y, other.y, fma(-x, other.x, v[i]));
    }
    if (shows && lane / 2 == j / 2 + 2) {
      put_pair(ahead + 4 * lane, v[j + 2], v[j + 3]);
      put_pair(ahead + 4 * lane + 2, v[j + 4], v[j + 5]);
    }
    warp_barrier();
    e0 = read_pair(ahead + 4 * (j + 4)), f0 = read_pair(ahead + 4 * (j + 4) + 2);
    e1 = read_pair(ahead + 4 * (j + 5)), f1 = read_pair(ahead + 4 * (j + 5) + 2);
#pragma unroll
    for (int i = j + 6; i < SMALL; ++i) {
      const double2 other = read_pair(pairs + 2 * i);
      v[i] = fma(-y, other.y, fma(-x, other.x, v[i]));
    }
  }
  return good;
}

// The same, one column at a time, in local memory: the rare path.  Columns from the first pivot on
// that fails become those of the identity.  Returns how many were good; *failed is that pivot.
INLINE int eliminate_columns(__local double* work, int live, __private double* failed) {
  const int lane = get_local_id(0) % 32, row = lane % SMALL;
#pragma unroll 1
  for (int k = 0; k < SMALL; ++k) {
    if (lane >= SMALL) work[k * WORK_LD + lane] = k == row;
  }
  int good = live;
#pragma unroll 1
  for (int k = 0; k < SMALL; ++k) {
    __local double* const own = work + lane;
    warp_barrier();
    const double pivot = work[k * WORK_LD + k];
    if (k < good && !is_pivot(pivot)) {
      *failed = pivot;
      good = k;
    }
    const double x = k < good ? own[k * WORK_LD] * reciprocal_sqrt(pivot) : (double)(k == row);
    warp_barrier();
    own[k * WORK_LD] = x;
    warp_barrier();
    for (int c = k + 1; c < SMALL && k < good; ++c) {
      own[c * WORK_LD] = fma(-x, work[k * WORK_LD + c], own[c * WORK_LD]);
    }
  }
  return good;
}

// A block's inverse, a row of it in each work-item from the 17th on, to the workspace.
INLINE void store_inverse(double v[SMALL], __global double* factor, int s) {
  const int lane = get_local_id(0) % 32, i = lane % SMALL;
  __global double* const to = factor + SMALL_BLOCK(s, s);
#pragma unroll
  for (int k = 0; k < SMALL; ++k) {
    if (lane >= SMALL) to[k * SMALL + (k / 2 % 2 ? i ^ 2 : i)] = v[k];
  }
}

// The factored block, a row of it in each of the first 16 work-items, to the panel.
INLINE void store_factored(double v[SMALL], const Place at, int s) {
  const int lane = get_local_id(0) % 32;
  const Index row = at.row + SMALL * s + lane, column = at.column + SMALL * s;
  const int end = lane < SMALL && row < at.nrow ? min(lane + 1, at.ncol - column) : 0;
  __global double* const to = at.panel + row + column * at.ldp;
#pragma unroll
  for (int k = 0; k < SMALL; ++k) {
    if (k < end) to[k * at.ldp] = v[k];
  }
}

// Makes known that so many blocks of columns of the tile are final: in the workspace, and if it is
// all of them, in the panel, but for rows of pivots, which no other tile reads.
INLINE void publish_factored(const Place at, int blocks) {
  if (get_local_id(0) % 32 == 0) {
    store_release(at.progress + at.row / BLOCK, at.column / BLOCK * BLOCK_COLUMNS + blocks);
  }
}

// Rows n = 2g, 2g + 1 of the inverse, the work's columns from its 17th row on.
INLINE void load_inverse(__private Right* b, __local const double* work) {
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    __local const double* const row = work + (2 * g + i) * WORK_LD + SMALL + 4 * t;
    set_row(b, i, read_pair(row), read_pair(row + 2));
  }
}

INLINE void put_left(__local double* M, double x[8]) {
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    put_pair(M + SMALL_PLACE(2 * g + i, 4 * t), x[i], x[2 + i]);
    put_pair(M + SMALL_PLACE(2 * g + i, 4 * t + 2), x[4 + i], x[6 + i]);
  }
}

// How many work-items meet at barrier 1 + s, and at 4 + s.  The first warp, which for s = 0 is warp
// s itself, comes to what it passes on.
INLINE int factored_meet(int s, int blocks) {
  return 32 * (s > 0 && s + 1 < blocks ? WARPS + 1 - s : WARPS - s);
}
INLINE int solved_meet(int s) { return 32 * (WARPS - s); }

// What the first warp does once its own block is factored: it passes on columns of the factor that
// others are waiting for, all but the last.
INLINE void pass_on(__local const double* room, __local const int* good, const Place at,
                    __global double* factor, int blocks) {
  const int lane = get_local_id(0) % 32;
#pragma unroll 1
  for (int s = 0; s + 1 < blocks; ++s) {
    if (s > 0) named_barrier(1 + s, factored_meet(s, blocks));
    double v[SMALL];
#pragma unroll
    for (int k = 0; k < SMALL; ++k) v[k] = room[WORK(s) + k * WORK_LD + lane];
    store_inverse(v, factor, s);
    if (lane == 0) factor[GOOD_COLUMNS + s] = good[s];
    named_barrier(4 + s, solved_meet(s));
    __global double* const to = factor + SMALL_BLOCK(s + 1, s);
    const int size = SMALL_BLOCK(WARPS, s) - SMALL_BLOCK(s + 1, s);
    for (int e = 2 * lane; e < size; e += 64) {
      *(__global double2*)(to + e) = read_pair(room + SOLVED_BLOCK(s + 1, s) + e);
    }
    warp_barrier();
    publish_factored(at, s + 1);
    store_factored(v, at, s);
  }
  if (at.column + BLOCK <= at.ncol) named_arrive(7, 64);
}

// The warp's block on the diagonal is up to date: it is factored, and others are told.
INLINE void factor_own(__private const Block* own, __local double* room, __local int* good,
                       const Place at, __global double* factor, __global PivotStatus* status,
                       bool failed, int width) {
  const int lane = get_local_id(0) % 32, s = get_local_id(0) / 32;
  const int blocks = (width + SMALL - 1) / SMALL, first = SMALL * s;
  __local double* const work = room + WORK(s);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      put_pair(work + (4 * (lane % 4) + 2 * e + j) * WORK_LD + 2 * (lane / 4), -own->at[j][e],
                -own->at[j][2 + e]);
    }
  }
  int found = width;  // Good columns of the tile, as far as is known.
  if (s > 0) {
    found = good[s - 1];
  } else if (failed) {
    found = 0;
  }
  warp_barrier();
  const int live = min(width - first, SMALL);
  double v[SMALL];
#pragma unroll
  for (int k = 0; k < SMALL; ++k) {
    v[k] = lane < SMALL ? work[k * WORK_LD + lane] : (double)(k == lane - SMALL);
  }
  if (found < width || !eliminate_pairs(v, room, live)) {
    double pivot = 0;
    const int left = found < width ? 0 : live;
    const int columns = eliminate_columns(work, left, &pivot);
    if (columns < left) {
      found = first + columns;
      if (lane == 0) {
        status->column = at.column + found;
        status->value = pivot;
      }
    }
#pragma unroll
    for (int k = 0; k < SMALL; ++k) v[k] = work[k * WORK_LD + lane];
  }
  if (lane == 0) good[s] = found;
  if (s + 1 == blocks) {
    store_inverse(v, factor, s);
    if (lane == 0) factor[GOOD_COLUMNS + s] = found;
    if (width == BLOCK) {
      named_barrier(7, 64);
      publish_factored(at, BLOCK_COLUMNS);
    }
    store_factored(v, at, s);
  }
  if (s + 1 < WARPS) {
#pragma unroll
    for (int k = 0; k < SMALL; ++k) work[k * WORK_LD + lane] = v[k];
    named_arrive(1 + s, factored_meet(s, blocks));
  }
}

// Rows row + 2g and + 1 of the panel, columns column + 4t .. + 3, as a left operand.  Rows past the
// last have those of the tile's first, and count for nothing.
INLINE void load_left(double x[8], const Place at, Index row, Index column) {
  const int lane = get_local_id(0) % 32;
  const Index own_row = row + 2 * (lane / 4);
  __global const double* const from =
      at.panel + (own_row < at.nrow ? own_row : at.row) + (column + 4 * (lane % 4)) * at.ldp;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const double2 rows = *(__global const double2*)(from + k * at.ldp);
    x[2 * k] = rows.x;
    x[2 * k + 1] = rows.y;
  }
}

// Of the products with columns before the tile, those with 16 from `column` on.
INLINE void add_columns(__private Block* own, __private Block* left, const Place at, Index column) {
  const int warp = get_local_id(0) / 32;
  double x[8];
  load_left(x, at, at.row + SMALL * warp, column);
  Right b;
  as_right(&b, x);
  add_product(own, x, &b);
#pragma unroll
  for (int q = 0; q < BLOCK_COLUMNS - 1; ++q) {
    if (q < warp) {
      double y[8];
      load_left(y, at, at.row + SMALL * q, column);
      as_right(&b, y);
      add_product(&left[q], x, &b);
    }
  }
}

// L11 := chol(sums - products with the last 64 columns before the tile), 16 at a time, as they get
// ready.  `shared` is room for a counter and as many numbers as there are warps.
INLINE void factor_diagonal(__local double* room, __local int* shared, const Place at,
                            __global double* factor, __global PivotStatus* status,
                            const bool waits) {
  const int warp = get_local_id(0) / 32, row = SMALL * warp;
  const int width = min(BLOCK, at.ncol - at.column), blocks = (width + SMALL - 1) / SMALL;
  const int before = at.column / SMALL;
  __local int* const good = shared + 1;
  Block own, left[BLOCK_COLUMNS - 1];
  take_block(&own, room, row, row);
#pragma unroll
  for (int q = 0; q < BLOCK_COLUMNS - 1; ++q) take_block(&left[q], room, row, SMALL * q);
  LOCAL_BARRIER();
  // None of the columns is good when one failed before.
  int failed = -1;
#pragma unroll 1
  for (int done = max(before - BLOCK_COLUMNS, 0); done < before;) {
    int ready = before;
    if (waits) {
      LOCAL_BARRIER();  // All have read the counter, before it is read anew.
      ready = min(wait_for(at.progress + at.row / BLOCK, done, shared), before);
    }
    failed = load_relaxed(&status->column);
#pragma unroll 1
    for (; done < ready; ++done) add_columns(&own, left, at, SMALL * done);
  }
  const int steps = min(warp, blocks);
  double x[8];
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    named_barrier(1 + s, factored_meet(s, blocks));
    Right b;
    load_inverse(&b, room + WORK(s));
    const int columns = good[s] - s * SMALL;
    solve_block(x, &left[0], &b);
    if (columns < SMALL) keep_good(x, columns);
    if (s + 1 == blocks) break;
    put_left(room + SOLVED_BLOCK(warp, s), x);
    as_right(&b, x);
    add_product(&own, x, &b);
    if (warp == s + 1) {
      named_arrive(4 + s, solved_meet(s));
      break;
    }
    named_barrier(4 + s, solved_meet(s));
    load_right(&b, room + SOLVED_BLOCK(s + 1, s));
    add_product(&left[1], x, &b);
    if (warp > s + 2) {
      load_right(&b, room + SOLVED_BLOCK(s + 2, s));
      add_product(&left[2], x, &b);
    }
    store_block(at, x, at.row + row, at.column + SMALL * s);
    left[0] = left[1];
    left[1] = left[2];
  }
  if (warp < blocks) factor_own(&own, room, good, at, factor, status, failed >= 0, width);
  if (steps > 0) store_block(at, x, at.row + row, at.column + SMALL * (steps - 1));
  if (warp == 0) pass_on(room, good, at, factor, blocks);
  if (width < BLOCK) {
    FULL_BARRIER();
    if (warp == 0) publish_factored(at, BLOCK_COLUMNS);
  }
}
