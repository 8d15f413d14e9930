// Partial factorization of a forest of fronts in one launch on fp64 tensor cores.  For each front F
//
//   F := A's entries + sum over children, in order, of their updates through relative indices
//   L11 L11' = F11,   L21 := F21 L11^-T,   U := F22 - L21 L21'
//
// A has entries in F22 in the first front of a chain alone (symbolic/front_chains.hpp).
//
//   operand   shape              storage                                     access
//   fronts, tiles, entries, pieces          lists by make_front_batch()      read
//   relind                      rows of children in their parents           read
//   values    nnz(A)             A's entries, in the order of A              read
//   panels    nrow x ncol each   column-major; L after                       written, then read
//   updates   nupd x nupd each   half storage (base/update_layout.hpp)       written, then read by
//                                                                            parents; may overlap
//                                                                            updates of
//                                                                            grandchildren and
//                                                                            their descendants
//   factors   FACTOR_SIZE each   workspace, one for 64 pivot columns         written, then read
//   progress  rows / 64 + 1 each counters, zero before                       written, read
//   ticket    1                  counter, zero before                        written, read
//   status    1 each             column = -1 before                          written on failure
//
// A front with `panel_only` gets no update matrix; another kernel computes it.
//
// Only the diagonal and the entries below it are written and used.  The padding row of an odd nrow
// is read, and does not influence results.  The panel of a front with `filled` holds A's entries
// before the launch; entries above its diagonal are read within blocks of 64 columns.
//
// Left-looking.  One work-group computes a tile as a whole:
//
//   acc := -(A's + children's entries)
//   acc += L(tile's rows, k) L(tile's columns, k)'   for columns k, as they become final
//   diagonal tile   L11 := chol(-acc)                 64 x 64
//   panel tile      L21 := -acc L11^-T, by inverses of L11's 16 x 16 diagonal blocks
//   update tile     U := -acc
//
// In the last step, the rows of diagonal and panel tiles are divided among the warps.
//
// front_batch: work-groups draw tickets for the tiles in the order of the list, in which a tile
// depends on earlier tiles only.  They wait in a loop for tiles with lower tickets, so the device
// must have passed the probe of forward progress.  front_batch_level: the same tiles in several
// launches, in which no work-group waits.
//
// progress[i] of a front is the number of blocks of 16 columns that are final in its rows 64 i to
// 64 i + 63: final in the panel or, for the rows' own diagonal tile, in `factors`.  The diagonal
// tile and the first panel tile below it raise the counter by one, other tiles by four.  The
// counter after the last progress[i] counts update tiles that children in the batch have written.
//
// The first pivot outside of [smallest normal number, largest number] fails: its column and value
// are written to `status`.  This column and all later columns of the panel become columns of the
// identity, so that later results stay finite and no tile waits forever.
//
// Work-groups of GROUP = 128 work-items; local memory ROOM values and 2 + BLOCK_COLUMNS integers.
#include "fronts/front_batch_tile.cl"
// In this order: the files below use it.
#include "runtime/waiting.cl"
#include "fronts/front_batch_assembly.cl"
#include "fronts/front_batch_blocks.cl"
#include "fronts/front_batch_diagonal.cl"
#include "fronts/front_batch_panel.cl"

// ---- Waiting ------------------------------------------------------------------------------------

// Returns the progress counter that this lane watches.  The lanes of a warp watch the counters of
// all rows and columns of the tile: up to three blocks of rows and two of columns, because an
// update tile need not begin at a multiple of 64.
INLINE __global const int* watched(const BatchTile tile, const Place at) {
  const int lane = get_local_id(0) % 32, rows = tile.kind == CLCHOL_DIAGONAL_TILE ? BLOCK : TILE_M;
  const int last_row = min(tile.row + rows, at.nrow) - 1;
  const int last_column = min(tile.column + BLOCK, at.nrow) - 1;
  const int of_rows = min(tile.row / BLOCK + (lane / 2) % 4, last_row / BLOCK);
  const int of_columns = min(tile.column / BLOCK + (lane / 2) % 2, last_column / BLOCK);
  return at.progress + (lane % 2 ? of_columns : of_rows);
}

// ---- Update tiles -------------------------------------------------------------------------------

// U := -acc on and below the diagonal.  Tiles begin at an even row and column of the front.  If
// ncol is odd, this is one row and one column before a block of the update matrix; the layout's
// formula for a block column also holds for the column before it.
INLINE void store_update(__private const Accumulators* acc, const Place at,
                         __global double* update) {
  const Index nupd = at.nrow - at.ncol, odd = at.ncol % 2;
  const Index block = (at.column + odd - at.ncol) / BLOCK;
  const Offset padded = ((Offset)nupd + 7) / 8 * 8, ld = padded - block * BLOCK;
  const Offset begin =
      BLOCK * (block * padded - BLOCK * ((Offset)block * (block - 1) / 2)) - block * BLOCK;
  const Index row = at.row + own_row(), column = at.column + own_column();
  __global double* const to =
      update + begin + (row - at.ncol) + (column - at.ncol - block * BLOCK) * ld;
  const bool inner = odd == 0 && at.row >= at.column + BLOCK && at.row + TILE_M <= at.nrow;
  if (inner) {
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
      for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          *(__global double2*)(to + 16 * i + column_of(j, e) * ld) =
              negated_pair(acc, i, j, e);
        }
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
      for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const Index r = row + 16 * i, c = column + column_of(j, e);
          __global double* const two = to + 16 * i + column_of(j, e) * ld;
          if (c >= at.ncol) {
            if (r >= c && r < at.nrow) two[0] = -acc->at[i][j][e];
            if (r + 1 >= c && r + 1 < at.nrow) two[1] = -acc->at[i][j][2 + e];
          }
        }
      }
    }
  }
}

// ---- All kinds ----------------------------------------------------------------------------------

// acc += products with the front's first `blocks` blocks of 64 columns, as they become final.  In a
// diagonal tile, rows from the 65th on are multiplied too and not used: they need not be final.
INLINE void add_products(__private Accumulators* acc, __local double* room, const BatchTile tile,
                         const Place at, int blocks, __local int* least, const bool waits) {
#pragma unroll 1
  for (int done = 0; done < blocks;) {
    int ready = blocks;
    if (waits) {
      const int next = (done + 1) * BLOCK_COLUMNS - 1;
      ready = min(wait_for(watched(tile, at), next, least) / BLOCK_COLUMNS, blocks);
    }
    const Index k = done * BLOCK, depth = min(ready * BLOCK, at.ncol) - k;
    __global const double* const L = at.panel + k * at.ldp;
    multiply_tile(acc, room, L + at.row, at.ldp, at.nrow - at.row, L + at.column, at.ldp,
                  at.nrow - at.column, depth);
    done = ready;
  }
}

// Computes a tile.
// @param shared  SHARED_SIZE integers in local memory: the least of the counters that the
//                work-group waits for, and the numbers of good columns of four blocks.
// @param waits   a constant.  false: all that the tile depends on is final.
#define SHARED_SIZE (1 + BLOCK_COLUMNS)
INLINE void compute_tile(__private const Batch* batch, const BatchTile tile, __local double* room,
                         __local int* shared, const bool waits) {
  __global const BatchFront* const front = batch->fronts + tile.front;
  const Place at = {tile.row,
                    tile.column,
                    front->nrow,
                    front->ncol,
                    front->ldp,
                    batch->panels + front->panel,
                    batch->progress + front->progress};
  const bool diagonal = tile.kind == CLCHOL_DIAGONAL_TILE;
  const int own_block = tile.column / BLOCK;
  if (waits && front->expected > 0 && tile.piece_begin < tile.piece_end) {
    wait_for(batch->progress + front->arrivals, front->expected - 1, shared);
  }
  // Blocks of 64 columns to multiply with.  Other tiles wait for a diagonal tile; therefore
  // factor_diagonal() multiplies with the last block, 16 columns at a time, as they become final.
  int blocks = own_block;
  if (diagonal) {
    blocks = max(own_block - 1, 0);
  } else if (tile.kind == CLCHOL_UPDATE_TILE) {
    blocks = (at.ncol + BLOCK - 1) / BLOCK;
  }
  const bool filled = front->filled && tile.kind != CLCHOL_UPDATE_TILE;
  const bool has_sums = filled || tile.num_entries > 0 || tile.piece_begin < tile.piece_end;
  if (has_sums || blocks == 0) assemble(room, batch, tile, at, filled);
  if (blocks > 0) {
    Accumulators acc;
    take_sums(&acc, room, has_sums);
    LOCAL_BARRIER();
    add_products(&acc, room, tile, at, blocks, shared, waits);
    if (tile.kind == CLCHOL_UPDATE_TILE) {
      store_update(&acc, at, batch->updates + front->update);
      if (waits && front->parent >= 0) arrive(batch->progress + front->parent);
      return;
    }
    put_sums(room, &acc);
    LOCAL_BARRIER();
  }
  __global double* const factor = batch->factors + front->factors + own_block * FACTOR_SIZE;
  if (diagonal) {
    factor_diagonal(room, shared, at, factor, batch->status + tile.front, waits);
  } else {
    Rows rows;
    take_rows(&rows, room);
    LOCAL_BARRIER();
    solve_panel(&rows, room, at, factor, shared, waits);
  }
}

// Parameters of both kernels, and the initializer of a Batch from them.
#define BATCH_PARAMETERS                                                                    \
  __global const BatchFront *fronts, Offset fronts_offset, __global const BatchTile *tiles, \
      Offset tiles_offset, __global const BatchEntry *entries, Offset entries_offset,       \
      __global const BatchPiece *pieces, Offset pieces_offset, __global const Index *relind, \
      Offset relind_offset, __global const double *values, Offset values_offset,              \
      __global double *panels, Offset panels_offset, __global double *updates,              \
      Offset updates_offset, __global double *factors, Offset factors_offset,               \
      __global int *progress, Offset progress_offset, __global PivotStatus *status,         \
      Offset status_offset
#define BATCH                                                                       \
  {                                                                                 \
    fronts + fronts_offset, tiles + tiles_offset, entries + entries_offset,         \
        pieces + pieces_offset, relind + relind_offset, values + values_offset,         \
        panels + panels_offset, updates + updates_offset, factors + factors_offset, \
        progress + progress_offset, status + status_offset                          \
  }

// Launched with as many work-groups as run at once; any number is correct.  Each work-group draws
// tiles until none is left.  The kernel has no required work-group size, so that the compiler obeys
// its limit of registers.
__kernel void front_batch(Index num_tiles, __global int* ticket, Offset ticket_offset,
                          BATCH_PARAMETERS) {
  LOCAL_ARRAY(double, room, ROOM);
  LOCAL_ARRAY(int, ticket_drawn, 1);
  LOCAL_ARRAY(int, shared, SHARED_SIZE);
  const Batch batch = BATCH;
  for (;;) {
    LOCAL_BARRIER();
    if (get_local_id(0) == 0) ticket_drawn[0] = atomic_inc(ticket + ticket_offset);
    LOCAL_BARRIER();
    const int drawn = ticket_drawn[0];
    if (drawn >= num_tiles) break;
    compute_tile(&batch, batch.tiles[drawn], room, shared, true);
  }
}

// Computes the tiles of one level, from `first_tile` on, one per work-group.  Earlier levels must
// be done.
__kernel void front_batch_level(Index first_tile, BATCH_PARAMETERS) {
  LOCAL_ARRAY(double, room, ROOM);
  LOCAL_ARRAY(int, shared, SHARED_SIZE);
  const Batch batch = BATCH;
  compute_tile(&batch, batch.tiles[first_tile + (Index)get_group_id(0)], room, shared, false);
}
