// Diagonal tiles: L11 := chol(F11) of order 64.  Include front_batch_blocks.cl first.
//
// Warp s has 16 rows of the tile and diagonal block s.  It solves its rows with the inverses of the
// diagonal blocks above, one after another, as the other warps compute them, and subtracts products
// from the columns right of each.  Then it factors its own diagonal block D and inverts the factor
// at the same time:
//
//   [ D ]          [    L    ]
//   [ I ]  L^-T =  [ inv(L)' ]
//
// The critical path goes from warp to warp; a warp on it has only its own 16 rows to compute.  The
// other products, and all stores except the last, are done off the critical path.
//
//   barrier   warps that meet                                  state after the barrier
//   1 + s     warp s and the warps after s; also the first     the inverse of block s is in local
//             warp, unless s is the last block                 memory
//   4 + s     the warps after s, and the first warp            the rows of block column s are in
//                                                              local memory
//   7         the first warp and the last block's warp         the first warp has published all
//                                                              blocks but the last

// Local memory: the solved blocks (p, q) below the diagonal; for each warp its diagonal block, and
// below that the identity, which becomes the inverse; entries that rows show to other lanes.
#define SOLVED_BLOCK(p, q) (SMALL_BLOCK(p, q) - ((q) + 1) * SMALL_SIZE)
#define WORK(s) (SOLVED_BLOCK(WARPS, WARPS - 1) + (s)*WORK_SIZE)
#define SHOWN_PAIRS WORK(WARPS)                  // Two sets of SMALL rows with two entries each.
#define SHOWN_AHEAD (SHOWN_PAIRS + 4 * SMALL)    // One set of SMALL rows with four entries each.
#if SHOWN_AHEAD + 4 * SMALL > ROOM
#error "no room for diagonal tiles"
#endif

// Returns whether x is normal, positive and finite, by integer operations on its high word.
INLINE int is_pivot(double x) { return high_word(x) - 0x00100000u < 0x7fe00000u; }
// Returns whether x is in [2^-exponent, 2^exponent).
INLINE int is_moderate(double x, const uint exponent) {
  return high_word(x) - ((1023u - exponent) << 20) < (2 * exponent) << 20;
}

// Factors a block of which the first `live` columns exist, and inverts the factor.  A lane has a
// row v: of the block in lanes 0 to 15, of the identity in lanes 16 to 31.  Two columns are
// eliminated at a time, so that their two square roots are computed at the same time:
//
//   [a b; b c] = L L',  det = a c - b^2:  1/l11 = a^-1/2,  1/l22 = a (a^-1/2 det^-1/2)
//
// Every lane computes a, b, c of the next two columns itself, from entries that the rows of these
// columns have put into local memory before.  So lanes exchange nothing between one pair of square
// roots and the next.  Returns zero, with v undefined, unless a, c and det are so moderate that
// det / a is a normal number and products of three numbers are finite.
INLINE int eliminate_pairs(double v[SMALL], __local double* room, int live) {
  const int lane = get_local_id(0) % 32;
  const bool shows = lane < live;
  __local double* const ahead = room + SHOWN_AHEAD;
  int good = 1;
  if (live < SMALL) {
#pragma unroll
    for (int k = 0; k < SMALL; ++k) v[k] = k < live ? v[k] : 0.0;
    if (lane >= live && lane < SMALL) {
      // Rows past `live` are rows of the identity for the other lanes.
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
  // e0 and f0: row j + 2 in columns j, j + 1 and in columns j + 2, j + 3, before the elimination of
  // columns j, j + 1.  e1 and f1: the same columns of row j + 3.
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

// Does the work of eliminate_pairs() one column at a time and in local memory: the rare path.  Columns from
// the first failed pivot on become columns of the identity.  Returns the number of columns before
// the first failed pivot, and the pivot in *failed.
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

// Stores the inverse of diagonal block s in the workspace.  Lanes 16 to 31 have a row v each, of
// its transpose.
INLINE void store_inverse(double v[SMALL], __global double* factor, int s) {
  const int lane = get_local_id(0) % 32, i = lane % SMALL;
  __global double* const to = factor + SMALL_BLOCK(s, s);
#pragma unroll
  for (int k = 0; k < SMALL; ++k) {
    if (lane >= SMALL) to[k * SMALL + (k / 2 % 2 ? i ^ 2 : i)] = v[k];
  }
}

// Stores the factor of diagonal block s in the panel.  Lanes 0 to 15 have a row v each.
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

// Publishes that the first `blocks` blocks of 16 columns of the tile are final in the workspace.
// When all blocks are published, the tile's update rows must be final in the panel too; its pivot
// rows need not be, because no other tile reads them.
INLINE void publish_factored(const Place at, int blocks) {
  if (get_local_id(0) % 32 == 0) {
    store_release(at.progress + at.row / BLOCK, at.column / BLOCK * BLOCK_COLUMNS + blocks);
  }
}

// Loads rows 2g and 2g + 1 of an inverse: columns 2g and 2g + 1 of the workspace, from its 17th row
// on.
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

// Numbers of work-items that meet at barriers 1 + s and 4 + s.  The first warp, which for s = 0 is
// warp s itself, takes part where pass_on() does.
INLINE int factored_meet(int s, int blocks) {
  return 32 * (s > 0 && s + 1 < blocks ? WARPS + 1 - s : WARPS - s);
}
INLINE int solved_meet(int s) { return 32 * (WARPS - s); }

// The first warp's work after it has factored its own block: it stores and publishes the block
// columns of the factor that other work-groups wait for, all but the last.
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

// Factors the warp's diagonal block, from which all products have been subtracted, and signals the
// other warps.  The last block's warp also stores and publishes the block.
// @param failed  a pivot before the tile has failed.
// @param width   columns of the tile.
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
  int found = width;  // Columns of the tile before the first failed pivot that is known so far.
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

// Loads rows row + 2g and row + 2g + 1 of the panel, columns column + t + 4k for k < 4, as a left
// operand: x[2k + i] is row 2g + i.  In this order of columns, products are added to an entry of the
// tile in the order of the columns, as multiply_tile() adds the products with earlier columns.  Rows
// past the last get entries of the tile's first row, which are not used.
INLINE void load_left(double x[8], const Place at, Index row, Index column) {
  const int lane = get_local_id(0) % 32;
  const Index own_row = row + 2 * (lane / 4);
  __global const double* const from =
      at.panel + (own_row < at.nrow ? own_row : at.row) + (column + lane % 4) * at.ldp;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const double2 rows = *(__global const double2*)(from + 4 * k * at.ldp);
    x[2 * k] = rows.x;
    x[2 * k + 1] = rows.y;
  }
}

// Adds the products with the 16 columns from `column` on, which are before the tile, to the warp's
// blocks.
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

// L11 := chol(sums - products with the last 64 columns before the tile), 16 of these columns at a
// time, as they become final.
// @param room    local memory, which has the sums on entry.
// @param shared  integers in local memory: a counter, and a number of good columns for each warp.
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
  // If a pivot before the tile has failed, no column of the tile is good.
  int failed = -1;
#pragma unroll 1
  for (int done = max(before - BLOCK_COLUMNS, 0); done < before;) {
    int ready = before;
    if (waits) {
      LOCAL_BARRIER();  // All work-items have read shared[0], which wait_for() overwrites.
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
