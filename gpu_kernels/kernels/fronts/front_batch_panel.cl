// Panel tiles: L21 := F21 L11^-T for rows below a diagonal tile with factor L11.  Include
// front_batch_blocks.cl first.

// Copies block columns [begin, end) of the factor and its numbers of good columns to local memory.
INLINE void load_factor(__local double* room, __global const double* factor, int begin, int end) {
  const LocalAddress to = local_address(room);
  const int last = SMALL_BLOCK(end, end);
  for (int e = SMALL_BLOCK(begin, begin) + 2 * get_local_id(0); e < last; e += 2 * GROUP) {
    copy_async_16(to + 8 * e, factor + e, 1);
  }
  if (get_local_id(0) < BLOCK_COLUMNS / 2) {
    const int e = GOOD_COLUMNS + 2 * get_local_id(0);
    copy_async_16(to + 8 * e, factor + e, 1);
  }
  copy_commit();
  COPY_WAIT(0);
  LOCAL_BARRIER();
}

// acc(block column q) += X * M'
INLINE void update_columns(__private Rows* acc, double x[BLOCK_ROWS][8], __local const double* M,
                           const int q) {
  Right b;
  load_right(&b, M);
#pragma unroll
  for (int i = 0; i < BLOCK_ROWS; ++i) add_product(&acc->at[i][q], x[i], &b);
}

// Publishes that the tile's rows are final in the first `blocks` blocks of 16 columns.  The last
// warps store the counters, because the first warp may already be waiting for a counter.
INLINE void publish_rows(const Place at, int blocks) {
  FULL_BARRIER();
  const int l = get_local_id(0), i = WARPS - 1 - l / 32;
  if (l % 32 == 0 && i < TILE_M / BLOCK && at.row + i * BLOCK < at.nrow) {
    store_release(at.progress + at.row / BLOCK + i, blocks);
  }
}

// L21 := -acc L11^-T, 16 columns at a time, as columns of L11 become final.  The first panel tile
// publishes its columns at once, because the next diagonal tile waits for them.
INLINE void solve_panel(__private Rows* acc, __local double* room, const Place at,
                        __global const double* factor, __local int* least, const bool waits) {
  const Index width = min(BLOCK, at.ncol - at.column);
  const int blocks = (width + SMALL - 1) / SMALL, own_block = at.column / BLOCK;
  const int before = own_block * BLOCK_COLUMNS;
  const Index row = at.row + (Index)get_local_id(0) / 32 * (TILE_M / WARPS);
  int loaded = 0;
#pragma unroll 1
  for (int j = 0; j < blocks; ++j) {
    if (j == loaded) {
      loaded = blocks;
      if (waits) {
        if (j > 0 && at.row == at.column + BLOCK) publish_rows(at, before + j);
        loaded = min(wait_for(at.progress + own_block, before + j, least) - before, blocks);
      }
      load_factor(room, factor, j, loaded);
    }
    double x[BLOCK_ROWS][8];
    Right inverse;
    load_right(&inverse, room + SMALL_BLOCK(j, j));
    const int good = (int)room[GOOD_COLUMNS + j] - j * SMALL;
#pragma unroll
    for (int i = 0; i < BLOCK_ROWS; ++i) {
      solve_block(x[i], &acc->at[i][0], &inverse);
      if (good < SMALL) keep_good(x[i], good);
    }
    // Nested, because separate conditions would become predicates of the products, and every
    // accumulator would be copied before and after each product.
    if (j < 3) {
      update_columns(acc, x, room + SMALL_BLOCK(j + 1, j), 1);
      if (j < 2) {
        update_columns(acc, x, room + SMALL_BLOCK(j + 2, j), 2);
        if (j < 1) update_columns(acc, x, room + SMALL_BLOCK(j + 3, j), 3);
      }
    }
#pragma unroll
    for (int i = 0; i < BLOCK_ROWS; ++i) {
      store_block(at, x[i], row + SMALL * i, at.column + j * SMALL);
    }
    drop_columns(acc);
  }
  publish_rows(at, before + BLOCK_COLUMNS);
}
