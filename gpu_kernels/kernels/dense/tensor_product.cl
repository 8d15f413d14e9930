// The loop of products on fp64 tensor cores: a tile of C gets sum_k A(i, k) * B(j, k).
//
//   acc(i, j) += sum over k < depth of A(i, k) * B(j, k),  i < TILE_M, j < TILE_N
//
//   operand   shape            storage                                            access
//   A         rows_a x depth   global, column-major, 16-byte aligned, even ld     read
//   B         rows_b x depth   likewise; may be A                                 read
//   k-tiles     K_TILES_SIZE       local memory                                       overwritten
//   acc       tile             registers of the work-group, as below              read, written
//
// Rows past rows_a, rows_b count as zero, but for one: copies take pairs of rows, so an odd last
// row brings the entry behind it, and acc has anything in that row or column.  It is never stored.
//
// GROUP work-items in warps of 32, WARPS_M of them one above the other in each of WARPS_N columns
// of warps: each has WARP_M rows and WARP_N columns of the tile.  Local memory is read least
// where a warp's tile is square.  K-tiles of TILE_K columns of A and B go to local memory through
// asynchronous copies, STAGES of them in flight or in use.  What makes it fast, as measured: copies
// and loads stand between the products, never in a block of their own; the barrier stands before
// the last row of products of a k-tile, the operands of which are in registers already; and little
// local memory, for what is left of it is cache.
//
// Lane 4g + t of a warp has these entries of its tile, in row blocks i and column blocks j, e < 4:
//
//   acc->at[i][j][e]    row 16 i + 2 g + e / 2,  column 8 j + 2 t + e % 2
//
// Rows 2g and 2g + 1 play rows g and g + 8 of the instruction's operand, so that two entries of a
// fragment are neighbours in memory: 16 bytes at once.
#include "runtime/common.cl"
#include "runtime/nvidia_ptx.cl"

#ifndef TILE_M
#define TILE_M 128  // Rows of a tile; a multiple of 16 * WARPS_M.
#endif
#ifndef TILE_N
#define TILE_N 64  // Columns; a multiple of 16 * WARPS_N.
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
#define MMA_K 8  // Depth of the instruction: 4, 8, 16.
#endif

#define WARPS (WARPS_M * WARPS_N)
#define GROUP (32 * WARPS)
#define WARP_M (TILE_M / WARPS_M)
#define WARP_N (TILE_N / WARPS_N)
#define ROW_BLOCKS (WARP_M / 16)    // Of a warp's tile: rows of the instruction.
#define COLUMN_BLOCKS (WARP_N / 8)  // Columns of the instruction.
#define QUADS (MMA_K / 4)           // Four columns of operands: a lane has one of each.
// A k-tile takes two steps or more, so that copies have room before the last; and their number is
// even, because operands alternate between two sets of registers.
#if TILE_K / MMA_K * ROW_BLOCKS % 2 != 0
#error "an odd number of steps to a k_tile"
#endif
// Columns of a k-tile lie this far apart, so that the four of them which a fragment's lanes read
// meet no bank twice.
#define K_TILE_LD(tile) ((tile) + 4)
#define K_TILE_SIZE ((K_TILE_LD(TILE_M) + K_TILE_LD(TILE_N)) * TILE_K)  // A's, then B's.
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

// Where this warp's entries begin in the tile, this lane's in its warp's, and both.
INLINE int warp_row(void) { return get_local_id(0) / 32 % WARPS_M * WARP_M; }
INLINE int warp_column(void) { return get_local_id(0) / 32 / WARPS_M * WARP_N; }
INLINE int lane_row(void) { return 2 * (get_local_id(0) % 32 / 4); }
INLINE int lane_column(void) { return 2 * (get_local_id(0) % 4); }
INLINE int own_row(void) { return warp_row() + lane_row(); }
INLINE int own_column(void) { return warp_column() + lane_column(); }
// Column of entry e of block column j, from own_column() on.
INLINE int column_of(int j, int e) { return 8 * j + e % 2; }

// Entries e and 2 + e of a block, rows that follow each other, with the other sign: C - A * B' is
// -(A * B' - C).
INLINE double2 negated_pair(__private const Accumulators* acc, const int i, const int j,
                            const int e) {
  return pair(-acc->at[i][j][e], -acc->at[i][j][2 + e]);
}
INLINE void set_negated_pair(__private Accumulators* acc, const int i, const int j, const int e,
                             double2 value) {
  acc->at[i][j][e] = -value.x;
  acc->at[i][j][2 + e] = -value.y;
}

// One operand on its way to local memory.  A k-tile's column is `tile` entries, in chunks of two. A
// work-item copies the same chunk of every (GROUP / chunks)-th column: a piece each.
typedef struct Mover {
  __global const double* from;  // Its chunk in its first column of the k-tile that is copied next.
  Offset ld;
  LocalAddress to;  // Its chunk in k-tile 0.
  int column;       // Its first column within a k-tile; past all, if its rows are not the matrix's.
} Mover;

#define CHUNKS(tile) ((tile) / 2)
#define COLUMNS_AT_ONCE(tile) (GROUP / CHUNKS(tile))
#define PIECES(tile) (TILE_K / COLUMNS_AT_ONCE(tile))
#define PAST_ALL (1 << 30)
#if TILE_K % COLUMNS_AT_ONCE(TILE_M) != 0 || TILE_K % COLUMNS_AT_ONCE(TILE_N) != 0
#error "more work-items than chunks of a k_tile"
#endif

INLINE Mover mover(__global const double* matrix, Offset ld, int rows, LocalAddress to,
                   const int tile) {
  const int row = 2 * (get_local_id(0) % CHUNKS(tile)), column = get_local_id(0) / CHUNKS(tile);
  const Mover m = {matrix + row + column * ld, ld,
                   to + (LocalAddress)(8 * (column * K_TILE_LD(tile) + row)),
                   row < rows ? column : PAST_ALL};
  return m;
}

// Piece p of the next k-tile, of which `left` columns exist.
INLINE void copy_piece(const Mover m, const int p, LocalAddress k_tile, int left, const int tile) {
  const int k = p * COLUMNS_AT_ONCE(tile);
  copy_async_16(m.to + k_tile + (LocalAddress)(8 * k * K_TILE_LD(tile)), m.from + k * m.ld,
                k < left - m.column);
}

// A's fragment of row block i, columns [ks * MMA_K, +MMA_K) of a k-tile; `k-tile` begins at this
// lane's entry.
INLINE void load_a(__private double* a, __local const double* k_tile, const int ks, const int i) {
#pragma unroll
  for (int q = 0; q < QUADS; ++q) {
    const double2 rows =
        *(__local const double2*)(k_tile + (ks * MMA_K + 4 * q) * K_TILE_LD(TILE_M) + 16 * i);
    a[2 * q] = rows.x;
    a[2 * q + 1] = rows.y;
  }
}
// B's fragments of block columns 2 jj and 2 jj + 1.
INLINE void load_b(double b[COLUMN_BLOCKS][QUADS], __local const double* k_tile, const int ks,
                   const int jj) {
#pragma unroll
  for (int q = 0; q < QUADS; ++q) {
    __local const double* const at = k_tile + (ks * MMA_K + 4 * q) * K_TILE_LD(TILE_N) + 16 * jj;
    b[2 * jj][q] = at[0];
    b[2 * jj + 1][q] = at[8];
  }
}

// Both operands on their way.
typedef struct Movers {
  Mover a, b;
  int left;  // Columns from the next k-tile to copy on.
} Movers;

INLINE void next_k_tile(__private Movers* m) {
  m->a.from += TILE_K * m->a.ld;
  m->b.from += TILE_K * m->b.ld;
  m->left -= TILE_K;
}

// Has the first k-tiles copied.  Between this and multiply_k_tiles() the work-item may do what has
// to wait too.
INLINE Movers begin_k_tiles(__local double* k_tiles, __global const double* A, Offset lda,
                            int rows_a, __global const double* B, Offset ldb, int rows_b,
                            int depth) {
  const LocalAddress begin = local_address(k_tiles);
  Movers m = {mover(A, lda, rows_a, begin, TILE_M),
              mover(B, ldb, rows_b, begin + 8 * K_TILE_LD(TILE_M) * TILE_K, TILE_N), depth};
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
#pragma unroll
    for (int p = 0; p < PIECES(TILE_M); ++p) {
      copy_piece(m.a, p, 8 * s * K_TILE_SIZE, m.left, TILE_M);
    }
#pragma unroll
    for (int p = 0; p < PIECES(TILE_N); ++p) {
      copy_piece(m.b, p, 8 * s * K_TILE_SIZE, m.left, TILE_N);
    }
    copy_commit();
    next_k_tile(&m);
  }
  return m;
}

// Where this warp's rows of A and of B begin in a k-tile.
typedef struct KTileRows {
  int a, b;
} KTileRows;
#define B_IN_K_TILE (K_TILE_LD(TILE_M) * TILE_K)

// acc += A * B' over `depth` columns, maybe none, of which begin_k_tiles() was told.  Every loop
// but that over k-tiles unrolls.  All work-items call it; on return all copies are done and the
// k-tiles may be overwritten.
INLINE void multiply_k_tile_rows(__private Accumulators* acc, __local double* k_tiles, Movers m,
                                 int depth, const KTileRows rows) {
  const int steps = TILE_K / MMA_K * ROW_BLOCKS;  // Of a k-tile: a row of products each.
  const int pieces = PIECES(TILE_M) + PIECES(TILE_N);
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
  COPY_WAIT(STAGES - 2);
  LOCAL_BARRIER();

  // This lane's entries: rows from 2g on of column t, and B's from g on.
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
      // The operand of the next step, ahead of its use.
      load_a(a[(s + 1) % 2], (last ? next : now) + a_own, last ? 0 : (s + 1) / ROW_BLOCKS,
             (s + 1) % ROW_BLOCKS);
#pragma unroll
      for (int j = 0; j < COLUMN_BLOCKS; ++j) {
        MMA(acc->at[i][j], a[s % 2], b[j]);
        if (last_row && j % 2 == 1)
          load_b(b, (last ? next : now) + b_own, last ? 0 : ks + 1, j / 2);
          // The pieces of a k-tile to come, spread over the products of all steps but the last.
#pragma unroll
        for (int p = 0; p < pieces; ++p) {
          if (p * ((steps - 1) * COLUMN_BLOCKS) / pieces == s * COLUMN_BLOCKS + j) {
            if (p < PIECES(TILE_M)) {
              copy_piece(m.a, p, fill, m.left, TILE_M);
            } else {
              copy_piece(m.b, p - PIECES(TILE_M), fill, m.left, TILE_N);
            }
          }
        }
      }
    }
    next_k_tile(&m);
    now = next;
  }
  // Copies of k-tiles past the last column, zeros all, are still under way.
  COPY_WAIT(0);
  LOCAL_BARRIER();
}

// Of the warp's own rows.
INLINE void multiply_k_tiles(__private Accumulators* acc, __local double* k_tiles, Movers m,
                             int depth) {
  const KTileRows rows = {warp_row(), B_IN_K_TILE + warp_column()};
  multiply_k_tile_rows(acc, k_tiles, m, depth, rows);
}

// Both.
INLINE void multiply_tile(__private Accumulators* acc, __local double* k_tiles,
                          __global const double* A, Offset lda, int rows_a,
                          __global const double* B, Offset ldb, int rows_b, int depth) {
  const Movers movers = begin_k_tiles(k_tiles, A, lda, rows_a, B, ldb, rows_b, depth);
  multiply_k_tiles(acc, k_tiles, movers, depth);
}
