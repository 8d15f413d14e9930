// A forest of fronts, partially factored in one launch on fp64 tensor cores.  For every front F
//
//   F := A's entries + sum over children, in order, of their updates through relative indices
//   L11 L11' = F11,   L21 := F21 L11^-T,   U := F22 - L21 L21'         (F22: the children's part
//   only)
//
//   operand   shape              storage                                     access
//   fronts, tiles, entries, pieces          what make_front_batch() made     read
//   relind                      rows of children in their parents           read
//   values    nnz(A)             A's entries, in the order of A              read
//   panels    nrow x ncol each   column-major; L after                       written, then read
//   updates   nupd x nupd each   half storage (base/update_layout.hpp)       written, then read by
//                                                                            parents; may overlap
//                                                                            those of the front's
//                                                                            grandchildren, and
//                                                                            what lies below them
//   factors   FACTOR_SIZE each   workspace, one for 64 pivot columns         written, then read
//   progress  rows / 64 + 1 each counters, zero before                       written, read
//   ticket    1                  counter, zero before                        written, read
//   status    1 each             column = -1 before                          written on failure
//
// Diagonal and below alone are written and count; padding of an odd nrow is read, and counts for
// nothing.  A front that is `filled` has its entries of A in its panel before; of what is above its
// diagonal, entries within 64 columns are read.
//
// Left-looking: a tile is computed by one work-group at once,
//
//   acc := -(A's + children's entries);  acc += L(tile's rows, k) L(tile's columns, k)' for
//   columns k as they get ready;  then
//   diagonal tile   L11 := chol(-acc)                           64 x 64
//   panel tile      L21 := -acc L11^-T, by inverses of L11's 16 x 16 diagonal blocks
//   update tile     U := -acc
//
// front_batch: work-groups draw tickets for the tiles in the order of the list, in which a tile
// depends on earlier ones alone; they wait in a loop for tiles with lower tickets, so the device
// must have passed the probe of forward progress.  front_batch_level: the same tiles in several
// launches, none of which waits.
//
// progress[i] of a front: of its rows 64 i.., how many blocks of 64 columns are final; and one more
// counter: how many update tiles its children in the batch have written.
//
// The first pivot that is not in [smallest normal number, largest number] fails: its column and
// value go to `status`, and this column and all later ones of the panel become those of the
// identity, so that what follows stays finite and no tile waits in vain.
//
// Work-groups of GROUP = 128; local memory ROOM values.
#include "common.cl"
#include "front_batch_args.h"
#include "pivot_status.h"
#define PAIRED_COLUMNS 1
#include "tensor_product.cl"
#include "waiting.cl"

// Warps one above the other in update tiles: their own tiles are square, or twice as high as wide.
// Panel and diagonal tiles are solved by rows: warps have all columns of theirs.
#ifndef UPDATE_WARPS_M
#define UPDATE_WARPS_M 2
#endif
#define BLOCK 64  // Columns of a tile and of the update's block columns; rows of a diagonal tile.
#if TILE_N != BLOCK || WARPS_M != 4 || WARPS_N != 1 || (TILE_M != 64 && TILE_M != 128)
#error "front_batch has four warps for tiles of 64 or 128 rows and 64 columns"
#endif
#if SLAB_K / MMA_K % 2 != 0
#error "a diagonal tile has one row of products to MMA_K columns: an odd number of steps"
#endif

// A factored diagonal block, as panel tiles read it: the 16 x 16 blocks on and below the diagonal,
// row by row of blocks, the reciprocals of the diagonal, and the number of good columns.
#define SMALL 16
#define SMALL_SIZE (SMALL * SMALL)
#define RECIPROCALS (10 * SMALL_SIZE)
#define GOOD_COLUMNS (RECIPROCALS + BLOCK)
#define FACTOR_SIZE (GOOD_COLUMNS + 2)
#define SMALL_BLOCK(p, q) (((p) * ((p) + 1) / 2 + (q)) * SMALL_SIZE)
// Entry (i, k) of a small block: by rows, pairs of columns swizzled against bank conflicts.
#define SMALL_PLACE(i, k) ((i)*SMALL + ((((k) >> 1) ^ (((i) >> 1) & 1)) << 1) + ((k)&1))

// Eight columns of a diagonal tile in local memory: by columns, without bank conflicts.
#define STEP 8
#define STEP_LD (BLOCK + 4)
// A's and the children's entries of a tile, by columns.  Row TILE_M, and a column of each warp
// behind the last one, take what belongs nowhere: so nothing is added under a condition.
#define CHILDREN_LD (TILE_M + 2)

#define ROOM_FOR_CHILDREN (CHILDREN_LD * (BLOCK + WARPS))
#define ROOM (SLABS_SIZE > ROOM_FOR_CHILDREN ? SLABS_SIZE : ROOM_FOR_CHILDREN)

#define SMALLEST_PIVOT 2.2250738585072014e-308
#define LARGEST_PIVOT 1.7976931348623157e+308

typedef struct Batch {
  __global const BatchFront* fronts;
  __global const BatchTile* tiles;
  __global const BatchEntry* entries;
  __global const BatchPiece* pieces;
  __global const Index* relind;
  __global const double* values;
  __global double* panels;
  __global double* updates;
  __global double* factors;
  __global int* progress;
  __global PivotStatus* status;
} Batch;

// A tile and where its front lies.
typedef struct Place {
  Index row, column;
  Index nrow, ncol;
  Offset ldp;
  __global double* panel;
  __global int* progress;
} Place;

INLINE int is_pivot(double x) { return x >= SMALLEST_PIVOT && x <= LARGEST_PIVOT; }

// ---- Assembly -----------------------------------------------------------------------------------

// sums(i, j) := A's entry + sum over pieces, in their order, of the entries that land at (i, j) of
// the tile.
//
// What it costs is latency: the description of a piece is loaded while the one before is added, and
// all entries of a piece are in flight at once.  A warp has tile columns of its own, so pieces need
// no barrier between them.
#define OWN_COLUMNS (BLOCK / WARPS)
#define ROW_GROUPS (TILE_M / 32)
#if OWN_COLUMNS != 16
#error "pieces are divided among four warps"
#endif

// What a lane needs of a piece: its rows lane + 32 h, and the warp's own columns.
typedef struct Piece {
  __global const double* from;  // Row `lane` of the first of the warp's columns.
  int ld, first_columns;
  int begin, count;         // The warp's own columns.
  int entries[ROW_GROUPS];  // So many of them the rows have: those up to the diagonal.
  int to_row[ROW_GROUPS];   // TILE_M: there is no such row.
  int to_columns[2];        // Where columns lane and lane + 32 go.
} Piece;

// Where column q begins: 64 rows less in every column of the next block column.
INLINE Offset column_of_piece(int ld, int first_columns, int q) {
  return (Offset)q * ld - BLOCK * max(0, q - first_columns + 1);
}

INLINE Piece load_piece(__private const Batch* batch, const BatchTile tile, Index p) {
  const int lane = get_local_id(0) % 32, warp = get_local_id(0) / 32;
  __global const BatchPiece* const piece = batch->pieces + p;
  Piece out;
  out.ld = piece->ld;
  out.first_columns = piece->first_columns;
  out.begin = piece->begin[warp];
  const int end = piece->begin[warp + 1];
  out.count = end - out.begin;
  out.from = batch->updates + piece->from + lane +
             column_of_piece(out.ld, out.first_columns, out.begin);
  __global const Index* const rows = batch->relind + piece->rows + lane;
  const int num_rows = piece->num_rows, num_columns = piece->begin[4];
  const int diagonal = piece->diagonal;
#pragma unroll
  for (int h = 0; h < ROW_GROUPS; ++h) {
    const int row = lane + 32 * h;
    out.entries[h] = row < num_rows ? min(row - diagonal + 1, end) - out.begin : 0;
    out.to_row[h] = TILE_M;
    if (row < num_rows) out.to_row[h] = rows[32 * h] - tile.row;
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    out.to_columns[h] = 0;
    if (lane + 32 * h < num_columns) out.to_columns[h] = rows[diagonal + 32 * h] - tile.column;
  }
  return out;
}

INLINE void load_entries(double value[OWN_COLUMNS][ROW_GROUPS], __private const Piece* piece) {
  __global const double* column = piece->from;
  const int long_columns = piece->first_columns - piece->begin;
#pragma unroll
  for (int c = 0; c < OWN_COLUMNS; ++c) {
#pragma unroll
    for (int h = 0; h < ROW_GROUPS; ++h) {
      value[c][h] = 0;
      if (c < piece->entries[h]) value[c][h] = column[32 * h];
    }
    column += piece->ld - (c + 1 < long_columns ? 0 : BLOCK);
  }
}

// Old sums are read before new ones are stored, a few columns at a time.
#define COLUMNS_AT_A_TIME 4
INLINE void add_entries(__local double* sums, double value[OWN_COLUMNS][ROW_GROUPS],
                        __private const Piece* piece) {
  const int spare = BLOCK + (int)get_local_id(0) / 32;
#pragma unroll
  for (int first = 0; first < OWN_COLUMNS; first += COLUMNS_AT_A_TIME) {
    if (first < piece->count) {
      __local double* to[COLUMNS_AT_A_TIME];
      double sum[COLUMNS_AT_A_TIME][ROW_GROUPS];
#pragma unroll
      for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
        const int q = piece->begin + first + c;
        const int own = shuffle_int(q < 32 ? piece->to_columns[0] : piece->to_columns[1], q % 32);
        to[c] = sums + (first + c < piece->count ? own : spare) * CHILDREN_LD;
#pragma unroll
        for (int h = 0; h < ROW_GROUPS; ++h) sum[c][h] = to[c][piece->to_row[h]];
      }
#pragma unroll
      for (int c = 0; c < COLUMNS_AT_A_TIME; ++c) {
#pragma unroll
        for (int h = 0; h < ROW_GROUPS; ++h) {
          to[c][piece->to_row[h]] = sum[c][h] + value[first + c][h];
        }
      }
    }
  }
}

INLINE void add_matrix_entries(__local double* sums, __private const Batch* batch,
                               const BatchTile tile) {
  __global const BatchEntry* const entries = batch->entries + tile.entry_begin;
#pragma unroll 2
  for (int e = get_local_id(0); e < tile.num_entries; e += GROUP) {
    const BatchEntry entry = entries[e];
    sums[entry.place / CLCHOL_PLACE_COLUMN * CHILDREN_LD + entry.place % CLCHOL_PLACE_COLUMN] =
        batch->values[entry.source];
  }
}

INLINE void assemble(__local double* sums, __private const Batch* batch, const BatchTile tile) {
  Piece piece;
  if (tile.piece_begin < tile.piece_end) piece = load_piece(batch, tile, tile.piece_begin);
  for (int e = 2 * get_local_id(0); e < ROOM_FOR_CHILDREN; e += 2 * GROUP) {
    *(__local double2*)(sums + e) = pair(0.0, 0.0);
  }
  LOCAL_BARRIER();
  if (tile.num_entries > 0) {
    add_matrix_entries(sums, batch, tile);
    LOCAL_BARRIER();
  }
#pragma unroll 1
  for (Index p = tile.piece_begin; p < tile.piece_end; ++p) {
    double value[OWN_COLUMNS][ROW_GROUPS];
    load_entries(value, &piece);
    const Piece next = load_piece(batch, tile, min(p + 1, tile.piece_end - 1));
    add_entries(sums, value, &piece);
    warp_barrier();
    piece = next;
  }
  LOCAL_BARRIER();
}

// acc := -sums, or zero without sums.
INLINE void take_sums(__private Accumulators* acc, __local const double* sums, bool has_sums,
                      const int tile_m, const int warps_m) {
  const int row = own_row_of(tile_m, warps_m), column = own_column_of(warps_m);
  const int column_blocks = COLUMNS_OF_WARP(warps_m) / 8;
#pragma unroll
  for (int i = 0; i < TILE_M / warps_m / 16; ++i) {
#pragma unroll
    for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int r = row + 16 * i, c = column + column_of(j, e);
        double2 sum = pair(0.0, 0.0);
        if (has_sums) sum = *(__local const double2*)(sums + c * CHILDREN_LD + r);
        ENTRIES(acc, i, j, column_blocks)[e] = -sum.x;
        ENTRIES(acc, i, j, column_blocks)[2 + e] = -sum.y;
      }
    }
  }
}

// acc -= the entries of A that a panel or diagonal tile's place holds before.
INLINE void take_panel(__private Accumulators* acc, const BatchTile tile, const Place at) {
  const int warp_m = tile.kind == CLCHOL_DIAGONAL_TILE ? BLOCK / WARPS : WARP_M;
  const int row = own_row(warp_m), column = own_column();
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int r = row + 16 * i, c = column + column_of(j, e);
        if (at.row + r < at.nrow && at.column + c < at.ncol && 16 * i < warp_m) {
          const double2 entry =
              *(__global const double2*)(at.panel + at.row + r + (at.column + c) * at.ldp);
          acc->at[i][j][e] -= entry.x;
          acc->at[i][j][2 + e] -= entry.y;
        }
      }
    }
  }
}

// ---- Waiting ------------------------------------------------------------------------------------

// The counter that this lane watches: among them, lanes have those of all rows and columns of the
// tile (three blocks and two, because an update tile need not begin at a multiple of 64).
INLINE __global const int* watched(const BatchTile tile, const Place at) {
  const int lane = get_local_id(0) % 32, rows = tile.kind == CLCHOL_DIAGONAL_TILE ? BLOCK : TILE_M;
  const int last_row = min(tile.row + rows, at.nrow) - 1;
  const int last_column = min(tile.column + BLOCK, at.nrow) - 1;
  const int of_rows = min(tile.row / BLOCK + (lane / 2) % 4, last_row / BLOCK);
  const int of_columns = min(tile.column / BLOCK + (lane / 2) % 2, last_column / BLOCK);
  return at.progress + (lane % 2 ? of_columns : of_rows);
}

// The tile's rows are final in one more block of columns.
INLINE void publish(const Place at, int rows, int finished) {
  FULL_BARRIER();
  const int l = get_local_id(0);
  if (l % 32 == 0 && l / 32 < rows / BLOCK && at.row + l / 32 * BLOCK < at.nrow) {
    store_release(at.progress + at.row / BLOCK + l / 32, finished);
  }
}

// ---- Diagonal tiles -----------------------------------------------------------------------------

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
INLINE void update_columns(__private Accumulators* acc, double a[2][2], __local const double* x,
                           const int q) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const double2 columns = *(__local const double2*)(x + 4 * h * STEP_LD + 16 * q);
    const double even[1] = {columns.x}, odd[1] = {columns.y};
    mma_m16n8k4(acc->at[0][2 * q], a[h], even);
    mma_m16n8k4(acc->at[0][2 * q + 1], a[h], odd);
  }
}

// The next 16 columns become the first.  Registers move, so that the loops over columns can stay
// rolled, which instruction fetches want, and registers are never indexed by a variable.
INLINE void drop_columns(__private Accumulators* acc, const int row_blocks) {
#pragma unroll
  for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS - 2; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) acc->at[i][j][e] = acc->at[i][j + 2][e];
    }
  }
}

// L11 := chol(-acc), in steps of eight columns.  A warp has 16 rows; while columns are eliminated,
// work-items l and l + 16 of it have the same row and store half of it each.
INLINE void factor_diagonal(__private Accumulators* acc, __local double* room, const Place at,
                            __global double* factor, __global PivotStatus* status) {
  __local double* const block = room;                      // -acc's next columns
  __local double* const factored = room + STEP * STEP_LD;  // L's
  const int lane = get_local_id(0) % 32, warp = get_local_id(0) / 32, g = lane / 4, t = lane % 4;
  const int second = lane / 16, own = 16 * warp + lane % 16;
  const Index row = at.row + own, width = min(BLOCK, at.ncol - at.column);
  // Good columns of the tile, as far as is known; none when an earlier tile had a failure.
  int good = load_acquire(&status->column) >= 0 ? 0 : width;
#pragma unroll 1
  for (int s = 0; s * STEP < width; ++s) {
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
    double v[STEP], reciprocal[STEP];
    if (active) {
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
        factored[(k + second) * STEP_LD + own] = second ? v[k + 1] : v[k];
      }
    }
    LOCAL_BARRIER();
    if (active) {
      // acc += L(rows, 8 columns) * L(columns, 8 columns)'
      double a[2][2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const double2 x =
            *(__local const double2*)(factored + (t + 4 * h) * STEP_LD + 16 * warp + 2 * g);
        a[h][0] = x.x;
        a[h][1] = x.y;
      }
      __local const double* const b = factored + t * STEP_LD + 16 * (s / 2) + 2 * g;
      update_columns(acc, a, b, 0);
      update_columns(acc, a, b, 1);
      if (s < 4) {
        update_columns(acc, a, b, 2);
        update_columns(acc, a, b, 3);
      }
      __global double* const small = factor + SMALL_BLOCK(warp, s / 2);
#pragma unroll
      for (int k = 0; k < STEP; k += 4) {
        *(__global double2*)(small + SMALL_PLACE(lane % 16, STEP * (s % 2) + k + 2 * second)) =
            pair(second ? v[k + 2] : v[k], second ? v[k + 3] : v[k + 1]);
      }
      if (warp == WARPS - 1 && lane == 0) {
#pragma unroll
        for (int k = 0; k < STEP; k += 2) {
          *(__global double2*)(factor + RECIPROCALS + first + k) =
              pair(reciprocal[k], reciprocal[k + 1]);
        }
      }
      const Index column = at.column + first + second;
      __global double* const to = at.panel + row + column * at.ldp;
      if (row < at.nrow) {
#pragma unroll
        for (int k = 0; k < STEP; k += 2) {
          if (row >= column + k && column + k < at.ncol) to[k * at.ldp] = second ? v[k + 1] : v[k];
        }
      }
    }
    if (s % 2 == 1) drop_columns(acc, 1);
  }
  if (warp == WARPS - 1 && lane == 0) factor[GOOD_COLUMNS] = good;
}

// ---- Panel tiles --------------------------------------------------------------------------------

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
INLINE void update_small(__private Accumulators* acc, double x[ROW_BLOCKS][8],
                         __local const double* M, const int q) {
  const int g = get_local_id(0) % 32 / 4;
#pragma unroll
  for (int odd = 0; odd < 2; ++odd) {
    double b[4];
    load_right(b, M, 2 * g + odd);
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i) mma_m16n8k16(acc->at[i][2 * q + odd], x[i], b);
  }
}

// X := -acc(first 16 columns) * inverse'
INLINE void solve_small(double x[ROW_BLOCKS][8], __private const Accumulators* acc,
                        __local const double* inverse) {
  const int g = get_local_id(0) % 32 / 4;
  double even[4], odd[4];
  load_right(even, inverse, 2 * g);
  load_right(odd, inverse, 2 * g + 1);
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
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
INLINE void store_small(const Place at, double x[ROW_BLOCKS][8], Index row, Index column) {
  __global double* const to = at.panel + row + column * at.ldp;
  if (at.row + TILE_M <= at.nrow && column - own_column() + SMALL <= at.ncol) {
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        *(__global double2*)(to + 16 * i + e * at.ldp) = pair(x[i][2 * e], x[i][2 * e + 1]);
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i) {
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
INLINE void solve_panel(__private Accumulators* acc, __local double* room, const Place at,
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
    double x[ROW_BLOCKS][8];
    solve_small(x, acc, room + SMALL_BLOCK(j, j));
    // Columns from a pivot on that failed are those of the identity.
    if (good < (j + 1) * SMALL) {
#pragma unroll
      for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          x[i][e] = j * SMALL + own_column() + e / 2 < good ? x[i][e] : 0.0;
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
    store_small(at, x, at.row + own_row(WARP_M), at.column + j * SMALL + own_column());
    drop_columns(acc, ROW_BLOCKS);
  }
}

// ---- Update tiles -------------------------------------------------------------------------------

// U := -acc on and below the diagonal.  Tiles begin at an even row and column of the front, that
// is, at row and column -1 of the update's blocks where ncol is odd; the layout's formula for a
// block column holds for the column before it too.
INLINE void store_update(__private const Accumulators* acc, const Place at,
                         __global double* update) {
  const Index nupd = at.nrow - at.ncol, odd = at.ncol % 2;
  const Index block = (at.column + odd - at.ncol) / BLOCK;
  const Offset padded = ((Offset)nupd + 7) / 8 * 8, ld = padded - block * BLOCK;
  const Offset begin =
      BLOCK * (block * padded - BLOCK * ((Offset)block * (block - 1) / 2)) - block * BLOCK;
  const Index row = at.row + own_row_of(TILE_M, UPDATE_WARPS_M);
  const Index column = at.column + own_column_of(UPDATE_WARPS_M);
  const int column_blocks = COLUMNS_OF_WARP(UPDATE_WARPS_M) / 8;
  __global double* const to =
      update + begin + (row - at.ncol) + (column - at.ncol - block * BLOCK) * ld;
  const bool inner = odd == 0 && at.row >= at.column + BLOCK && at.row + TILE_M <= at.nrow;
  if (inner) {
#pragma unroll
    for (int i = 0; i < TILE_M / UPDATE_WARPS_M / 16; ++i) {
#pragma unroll
      for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          *(__global double2*)(to + 16 * i + column_of(j, e) * ld) = pair(
              -ENTRIES(acc, i, j, column_blocks)[e], -ENTRIES(acc, i, j, column_blocks)[2 + e]);
        }
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < TILE_M / UPDATE_WARPS_M / 16; ++i) {
#pragma unroll
      for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const Index r = row + 16 * i, c = column + column_of(j, e);
          __global double* const two = to + 16 * i + column_of(j, e) * ld;
          if (c >= at.ncol) {
            if (r >= c && r < at.nrow) two[0] = -ENTRIES(acc, i, j, column_blocks)[e];
            if (r + 1 >= c && r + 1 < at.nrow) two[1] = -ENTRIES(acc, i, j, column_blocks)[2 + e];
          }
        }
      }
    }
  }
}

// ---- All kinds ----------------------------------------------------------------------------------

// acc += products with all `blocks` of columns before the tile, as they get ready.
INLINE void add_products(__private Accumulators* acc, __local double* room, const BatchTile tile,
                         const Place at, int blocks, __local int* least, const bool waits,
                         const int tile_m, const int warps_m) {
#pragma unroll 1
  for (int done = 0; done < blocks;) {
    const int ready = waits ? min(wait_for(watched(tile, at), done, least), blocks) : blocks;
    const Index k = done * BLOCK, depth = min(ready * BLOCK, at.ncol) - k;
    __global const double* const L = at.panel + k * at.ldp;
    multiply_tile(acc, room, L + at.row, at.ldp, at.nrow - at.row, L + at.column, at.ldp,
                  at.nrow - at.column, depth, tile_m, warps_m);
    done = ready;
  }
}

// `waits` is a constant: without it, what the tile depends on is final.
INLINE void compute_tile(__private const Batch* batch, const BatchTile tile, __local double* room,
                         __local int* least, const bool waits) {
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
    wait_for(batch->progress + front->arrivals, front->expected - 1, least);
  }
  // Blocks of columns that come before the tile's.
  const int blocks = tile.kind == CLCHOL_UPDATE_TILE ? (at.ncol + BLOCK - 1) / BLOCK : own_block;
  const bool has_sums = tile.num_entries > 0 || tile.piece_begin < tile.piece_end;
  if (has_sums) assemble(room, batch, tile);
  Accumulators acc;
  if (tile.kind == CLCHOL_UPDATE_TILE) {
    take_sums(&acc, room, has_sums, TILE_M, UPDATE_WARPS_M);
    LOCAL_BARRIER();
    add_products(&acc, room, tile, at, blocks, least, waits, TILE_M, UPDATE_WARPS_M);
    store_update(&acc, at, batch->updates + front->update);
    if (waits && front->parent >= 0) arrive(batch->progress + front->parent);
    return;
  }
  take_sums(&acc, room, has_sums, diagonal ? BLOCK : TILE_M, WARPS_M);
  if (front->filled) take_panel(&acc, tile, at);
  LOCAL_BARRIER();
  if (TILE_M > BLOCK && diagonal) {
    add_products(&acc, room, tile, at, blocks, least, waits, BLOCK, WARPS_M);
  } else {
    add_products(&acc, room, tile, at, blocks, least, waits, TILE_M, WARPS_M);
  }
  __global double* const factor = batch->factors + front->factors + own_block * FACTOR_SIZE;
  if (diagonal) {
    factor_diagonal(&acc, room, at, factor, batch->status + tile.front);
    publish(at, BLOCK, own_block + 1);
  } else {
    if (waits) wait_for(at.progress + own_block, own_block, least);
    solve_panel(&acc, room, at, factor);
    publish(at, TILE_M, own_block + 1);
  }
}

// Arguments of both kernels, in this order, and what they become.
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

// Any number of work-groups, as many as run at once: each draws tiles until there are no more.
// (Without a required work-group size, so that the driver's limit of registers acts.)
__kernel void front_batch(Index num_tiles, __global int* ticket, Offset ticket_offset,
                          BATCH_PARAMETERS) {
  LOCAL_ARRAY(double, room, ROOM);
  LOCAL_ARRAY(int, shared, 2);  // The group's ticket, and the least of its counters.
  const Batch batch = BATCH;
  for (;;) {
    LOCAL_BARRIER();
    if (get_local_id(0) == 0) shared[0] = atomic_inc(ticket + ticket_offset);
    LOCAL_BARRIER();
    const int drawn = shared[0];
    if (drawn >= num_tiles) break;
    compute_tile(&batch, batch.tiles[drawn], room, shared + 1, true);
  }
}

// Tiles first_tile + group: those of a level, after all levels before it.
__kernel void front_batch_level(Index first_tile, BATCH_PARAMETERS) {
  LOCAL_ARRAY(double, room, ROOM);
  LOCAL_ARRAY(int, least, 1);
  const Batch batch = BATCH;
  compute_tile(&batch, batch.tiles[first_tile + (Index)get_group_id(0)], room, least, false);
}
