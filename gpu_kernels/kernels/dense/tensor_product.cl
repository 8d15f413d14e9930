// The inner loop of products on fp64 tensor cores: one tile of C, in registers,
//
//   acc(i, j) += sum over k < depth of A(i, k) * B(j, k),  i < TILE_M, j < TILE_N
//
//   operand   shape            storage                                            access
//   A         rows_a x depth   global, column-major, 16-byte aligned, even ld     read
//   B         rows_b x depth   as A; may be A                                     read
//   k-tiles   K_TILES_SIZE     local memory                                       overwritten
//   acc       tile             registers of the work-group, as below              read, written
//
// Rows past rows_a and rows_b count as zero, except when rows_a or rows_b is odd: copies take pairs
// of rows, so the entry after the last row is copied too, and that row or column of acc is
// undefined.  Callers never store it.
//
// A work-group has GROUP work-items in warps of 32: WARPS_M x WARPS_N warps, each with WARP_M rows
// and WARP_N columns of the tile.  Reads of local memory are fewest where a warp's part is square.
// K-tiles of TILE_K columns of A and B are copied to local memory asynchronously; STAGES of them
// are in flight or in use.  Measurements showed what makes the loop fast: copies and loads are
// interleaved with products and never form a block of their own; the barrier is before the last row
// of products of a k-tile, whose operands are in registers already; and the loop uses little local
// memory, because the hardware uses the remaining local memory as cache.
//
// Lane 4g + t of a warp has these entries of the warp's part, in row blocks i and column blocks j,
// e < 4:
//
//   acc->at[i][j][e]    row 16 i + 2 g + e / 2,  column 8 j + 2 t + e % 2
//
// Rows 2g and 2g + 1 of the tile take the positions of rows g and g + 8 of the instruction's
// operand, so that two entries of a fragment are adjacent in memory: one access of 16 bytes.
#include "runtime/common.cl"
#include "runtime/nvidia_ptx.cl"

#ifndef TILE_M
#define TILE_M 128  // Rows of a tile; a multiple of 16 * WARPS_M.
#endif
#ifndef TILE_N
#define TILE_N 64  // Columns of a tile; a multiple of 16 * WARPS_N.
#endif
#ifndef WARPS_M
#define WARPS_M 4
#endif
#ifndef WARPS_N
#define WARPS_N 1
#endif
#ifndef TILE_K
#define TILE_K 16  // Columns of A and B in a k-tile; a multiple of MMA_K.
#endif
#ifndef STAGES
#define STAGES 4  // K-tiles in local memory, 3 or more.
#endif
#ifndef MMA_K
#define MMA_K 8  // Depth of the mma instruction: 4, 8 or 16 columns.
#endif

#define WARPS (WARPS_M * WARPS_N)
#define GROUP (32 * WARPS)
#define WARP_M (TILE_M / WARPS_M)
#define WARP_N (TILE_N / WARPS_N)
#define ROW_BLOCKS (WARP_M / 16)    // Blocks of 16 rows, the instruction's, in a warp's part.
#define COLUMN_BLOCKS (WARP_N / 8)  // Blocks of 8 columns, the instruction's, in a warp's part.
#define QUADS (MMA_K / 4)           // Quadruples of operand columns; a lane has a column of each.
// A k-tile takes at least two steps, so that its copies can be issued before the last step.  The
// number of steps is even, because operands alternate between two sets of registers.
#if TILE_K / MMA_K * ROW_BLOCKS % 2 != 0
#error "an odd number of steps to a k-tile"
#endif
// Leading dimension of a k-tile: the four columns that the lanes of a warp read at once are in
// different banks.
#define K_TILE_LD(tile) ((tile) + 4)
#define K_TILE_SIZE ((K_TILE_LD(TILE_M) + K_TILE_LD(TILE_N)) * TILE_K)  // A's columns, then B's.
#define K_TILES_SIZE (STAGES * K_TILE_SIZE)

#if MMA_K == 4
#define MMA mma_m16n8k4
#elif MMA_K == 8
#define MMA mma_m16n8k8
#else
#define MMA mma_m16n8k16
#endif

typedef struct Accumulators {
  double at[ROW_BLOCKS][COLUMN_BLOCKS][4];
} Accumulators;

// First row and column: of the warp's part in the tile, of the lane's entries in the warp's part,
// and of the lane's entries in the tile.
INLINE int warp_row(void) { return get_local_id(0) / 32 % WARPS_M * WARP_M; }
INLINE int warp_column(void) { return get_local_id(0) / 32 / WARPS_M * WARP_N; }
INLINE int lane_row(void) { return 2 * (get_local_id(0) % 32 / 4); }
INLINE int lane_column(void) { return 2 * (get_local_id(0) % 4); }
INLINE int own_row(void) { return warp_row() + lane_row(); }
INLINE int own_column(void) { return warp_column() + lane_column(); }
// Column of entry e of block column j, counted from own_column().
INLINE int column_of(int j, int e) { return 8 * j + e % 2; }

// Entries e and 2 + e of a block, which are in neighbouring rows, negated: the loop accumulates
// A * B' - C, and C - A * B' is its negative.
INLINE double2 negated_pair(__private const Accumulators* acc, const int i, const int j,
                            const int e) {
  return pair(-acc->at[i][j][e], -acc->at[i][j][2 + e]);
}
INLINE void set_negated_pair(__private Accumulators* acc, const int i, const int j, const int e,
                             double2 value) {
  acc->at[i][j][e] = -value.x;
  acc->at[i][j][2 + e] = -value.y;
}

// A work-item's copies of one operand to local memory.  A column of a k-tile has `tile` entries, in
// chunks of two.  A work-item copies one chunk, always of the same rows, of every
// (GROUP / number of chunks)-th column.
typedef struct Mover {
  __global const double* from;  // Source of the work-item's first chunk of the next k-tile to copy.
  Offset ld;
  LocalAddress to;  // Target of the work-item's first chunk in k-tile 0.
  int column;       // Column of the first chunk in a k-tile; PAST_ALL: rows outside of the matrix.
} Mover;

#define CHUNKS(tile) ((tile) / 2)
#define COLUMNS_AT_ONCE(tile) (GROUP / CHUNKS(tile))
#define COPIES(tile) (TILE_K / COLUMNS_AT_ONCE(tile))
#define PAST_ALL (1 << 30)
#if TILE_K % COLUMNS_AT_ONCE(TILE_M) != 0 || TILE_K % COLUMNS_AT_ONCE(TILE_N) != 0
#error "more work-items than chunks of a k-tile"
#endif

INLINE Mover mover(__global const double* matrix, Offset ld, int rows, LocalAddress to,
                   const int tile) {
  const int row = 2 * (get_local_id(0) % CHUNKS(tile)), column = get_local_id(0) / CHUNKS(tile);
  const Mover m = {matrix + row + column * ld, ld,
                   to + (LocalAddress)(8 * (column * K_TILE_LD(tile) + row)),
                   row < rows ? column : PAST_ALL};
  return m;
}

// Starts to copy the work-item's chunk number p of the next k-tile, of which `left` columns exist;
// zeros for other columns.
INLINE void begin_copy(const Mover m, const int p, LocalAddress k_tile, int left, const int tile) {
  const int k = p * COLUMNS_AT_ONCE(tile);
  copy_async_16(m.to + k_tile + (LocalAddress)(8 * k * K_TILE_LD(tile)), m.from + k * m.ld,
                k < left - m.column);
}

// Loads A's fragment of row block i, columns [ks * MMA_K, (ks + 1) * MMA_K) of a k-tile.  `k_tile`
// points at the lane's first entry.
INLINE void load_a(__private double* a, __local const double* k_tile, const int ks, const int i) {
#pragma unroll
  for (int q = 0; q < QUADS; ++q) {
    const double2 rows =
        *(__local const double2*)(k_tile + (ks * MMA_K + 4 * q) * K_TILE_LD(TILE_M) + 16 * i);
    a[2 * q] = rows.x;
    a[2 * q + 1] = rows.y;
  }
}
// Loads B's fragments of column blocks 2 jj and 2 jj + 1.
INLINE void load_b(double b[COLUMN_BLOCKS][QUADS], __local const double* k_tile, const int ks,
                   const int jj) {
#pragma unroll
  for (int q = 0; q < QUADS; ++q) {
    __local const double* const at = k_tile + (ks * MMA_K + 4 * q) * K_TILE_LD(TILE_N) + 16 * jj;
    b[2 * jj][q] = at[0];
    b[2 * jj + 1][q] = at[8];
  }
}

// Copies of A and B.
typedef struct Movers {
  Mover a, b;
  int left;  // Columns that are not copied yet.
} Movers;

INLINE void next_k_tile(__private Movers* m) {
  m->a.from += TILE_K * m->a.ld;
  m->b.from += TILE_K * m->b.ld;
  m->left -= TILE_K;
}

// Starts the copies of the first STAGES - 1 k-tiles.  Until it calls multiply_k_tiles(), the
// work-item may start other loads, which then overlap with the copies.
INLINE Movers begin_k_tiles(__local double* k_tiles, __global const double* A, Offset lda,
                            int rows_a, __global const double* B, Offset ldb, int rows_b,
                            int depth) {
  const LocalAddress begin = local_address(k_tiles);
  Movers m = {mover(A, lda, rows_a, begin, TILE_M),
              mover(B, ldb, rows_b, begin + 8 * K_TILE_LD(TILE_M) * TILE_K, TILE_N), depth};
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
#pragma unroll
    for (int p = 0; p < COPIES(TILE_M); ++p) {
      begin_copy(m.a, p, 8 * s * K_TILE_SIZE, m.left, TILE_M);
    }
#pragma unroll
    for (int p = 0; p < COPIES(TILE_N); ++p) {
      begin_copy(m.b, p, 8 * s * K_TILE_SIZE, m.left, TILE_N);
    }
    copy_commit();
    next_k_tile(&m);
  }
  return m;
}

// Offsets in a k-tile of the warp's first row of A and of B.
typedef struct KTileRows {
  int a, b;
} KTileRows;
#define B_IN_K_TILE (K_TILE_LD(TILE_M) * TILE_K)

// acc += A * B' over `depth` >= 0 columns, the number that begin_k_tiles() was given.  All loops
// except the loop over k-tiles are unrolled.  All work-items must call it; on return all copies are
// done and the k-tiles may be overwritten.
// @param rows  the warp's rows of A and B.
INLINE void multiply_k_tile_rows(__private Accumulators* acc, __local double* k_tiles, Movers m,
                                 int depth, const KTileRows rows) {
  const int steps = TILE_K / MMA_K * ROW_BLOCKS;  // Steps per k-tile: a row of products each.
  const int copies = COPIES(TILE_M) + COPIES(TILE_N);
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
  COPY_WAIT(STAGES - 2);
  LOCAL_BARRIER();

  // Offsets of the lane's first entries in a k-tile: in column t, A's row 2g and B's row g.
  const int a_own = rows.a + t * K_TILE_LD(TILE_M) + 2 * g;
  const int b_own = rows.b + t * K_TILE_LD(TILE_N) + g;
  double a[2][2 * QUADS], b[COLUMN_BLOCKS][QUADS];
  __local const double* now = k_tiles;  // The k-tile that is multiplied.
  int now_stage = 0, fill_stage = STAGES - 1;
#pragma unroll
  for (int jj = 0; jj < COLUMN_BLOCKS / 2; ++jj) load_b(b, now + b_own, 0, jj);
  load_a(a[0], now + a_own, 0, 0);

#pragma unroll 1
  for (int k = 0; k < depth; k += TILE_K) {
    const LocalAddress fill = 8 * (fill_stage * K_TILE_SIZE);
    now_stage = now_stage + 1 == STAGES ? 0 : now_stage + 1;
    fill_stage = fill_stage + 1 == STAGES ? 0 : fill_stage + 1;
    __local const double* const next = k_tiles + now_stage * K_TILE_SIZE;
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const int ks = s / ROW_BLOCKS, i = s % ROW_BLOCKS;
      const bool last = s == steps - 1, last_row = i == ROW_BLOCKS - 1;
      if (last) {
        copy_commit();
        COPY_WAIT(STAGES - 2);
        LOCAL_BARRIER();
      }
      // A's fragment for the next step is loaded before this step's products.
      load_a(a[(s + 1) % 2], (last ? next : now) + a_own, last ? 0 : (s + 1) / ROW_BLOCKS,
             (s + 1) % ROW_BLOCKS);
#pragma unroll
      for (int j = 0; j < COLUMN_BLOCKS; ++j) {
        MMA(acc->at[i][j], a[s % 2], b[j]);
        if (last_row && j % 2 == 1)
          load_b(b, (last ? next : now) + b_own, last ? 0 : ks + 1, j / 2);
          // The copies of a later k-tile are spread over the products of all steps but the last.
#pragma unroll
        for (int p = 0; p < copies; ++p) {
          if (p * ((steps - 1) * COLUMN_BLOCKS) / copies == s * COLUMN_BLOCKS + j) {
            if (p < COPIES(TILE_M)) {
              begin_copy(m.a, p, fill, m.left, TILE_M);
            } else {
              begin_copy(m.b, p - COPIES(TILE_M), fill, m.left, TILE_N);
            }
          }
        }
      }
    }
    next_k_tile(&m);
    now = next;
  }
  // Copies of k-tiles past the last column, which write zeros, may still be in flight.
  COPY_WAIT(0);
  LOCAL_BARRIER();
}

// acc += A * B' for the warp's own part of the tile, as multiply_k_tile_rows().
INLINE void multiply_k_tiles(__private Accumulators* acc, __local double* k_tiles, Movers m,
                             int depth) {
  const KTileRows rows = {warp_row(), B_IN_K_TILE + warp_column()};
  multiply_k_tile_rows(acc, k_tiles, m, depth, rows);
}

// acc += A * B': begin_k_tiles() and multiply_k_tiles().
INLINE void multiply_tile(__private Accumulators* acc, __local double* k_tiles,
                          __global const double* A, Offset lda, int rows_a,
                          __global const double* B, Offset ldb, int rows_b, int depth) {
  const Movers movers = begin_k_tiles(k_tiles, A, lda, rows_a, B, ldb, rows_b, depth);
  multiply_k_tiles(acc, k_tiles, movers, depth);
}
