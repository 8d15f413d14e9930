// The inner loop of the products without tensor cores: one tile of C, in registers,
//
//   acc(i, j) := sum_k A(i, k) * B(j, k),   i < TILE_M, j < TILE_N
//
// A work-group computes TILE_M x TILE_N entries, a work-item ITEM_M x ITEM_N of them in registers.
// The loop takes k-tiles of TILE_K columns of A and B, which go from global memory through
// registers to local memory.  Each entry is added up in the order of k by one work-item: the same
// bits for all parameters below.
//
// Work-item (x, y) has rows VECTOR * (x + i * ITEMS_M) + e and columns VECTOR * (y + j * ITEMS_N) +
// e, e < VECTOR, so that neighbouring work-items read neighbouring vectors.  Consecutive work-items
// form blocks of WARP_M x WARP_N: a warp then reads WARP_M + WARP_N different vectors, where a row
// of work-items would read 1 + the warp's size.
#include "runtime/common.cl"

#ifndef NAIVE
#define NAIVE 0  // 1: no local memory; every multiplication reads global memory.
#endif
#ifndef TILE_M
#define TILE_M 64  // Rows of C that a work-group computes.
#endif
#ifndef TILE_N
#define TILE_N 64  // Columns of C that a work-group computes.
#endif
#ifndef TILE_K
#define TILE_K 8  // Columns of A and B in a k-tile.
#endif
#ifndef ITEM_M
#define ITEM_M 4  // Rows of C that a work-item computes; divides TILE_M.
#endif
#ifndef ITEM_N
#define ITEM_N 4  // Columns of C that a work-item computes; divides TILE_N.
#endif
#ifndef WARP_M
#define WARP_M 8  // Work-items of a warp's block along the rows of C; divides ITEMS_M.
#endif
#ifndef WARP_N
#define WARP_N 4  // Work-items of a warp's block along the columns of C; divides ITEMS_N.
#endif
#ifndef VECTOR
#define VECTOR 2  // Entries of one memory access: 1, 2, 4; divides ITEM_M and ITEM_N.
#endif
#ifndef FRAGMENTS
#define FRAGMENTS 1  // 2: loads the next column from local memory while this one is multiplied.
#endif
#ifndef BUFFERS
#define BUFFERS 2  // 2: loads the next k-tile from global memory while this one is multiplied.
#endif

#define ITEMS_M (TILE_M / ITEM_M)
#define ITEMS_N (TILE_N / ITEM_N)
#define GROUP (ITEMS_M * ITEMS_N)

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
// Conversions between a vector and private entries, which are registers once loops are unrolled.
#if VECTOR == 1
typedef real vector;
#define GATHERED(p) (*(p))
#define SCATTER(v, p) (p)[0] = (v)
#else
typedef JOIN(REAL, VECTOR) vector;
#if VECTOR == 2
#define GATHERED(p) ((vector)((p)[0], (p)[1]))
#define SCATTER(v, p) (p)[0] = (v).s0, (p)[1] = (v).s1
#else
#define GATHERED(p) ((vector)((p)[0], (p)[1], (p)[2], (p)[3]))
#define SCATTER(v, p) (p)[0] = (v).s0, (p)[1] = (v).s1, (p)[2] = (v).s2, (p)[3] = (v).s3
#endif
#endif

// A or B, from the first row of the tile on.
typedef struct {
  __global const real* at;  // Entry (first row of the tile, 0).
  Offset ld;
  Index rows;    // Rows from the tile's first to the matrix's last; may be 0 or exceed the tile.
  Index depth;   // Columns of the matrix.
  bool aligned;  // Every VECTOR-th row begins at a multiple of a vector's size.
} Operand;

// Returns whether offset and leading dimension are multiples of VECTOR.  Buffers are aligned.
bool is_aligned(Offset position, Offset ld) { return ((position | ld) & (VECTOR - 1)) == 0; }

// Returns rows [row, rows) of a matrix whose entry (0, 0) is at base[position].
INLINE Operand operand(__global const real* base, Offset position, Offset ld, Index rows, Index row,
                       Index depth) {
  const Operand x = {base + position + row, ld, rows - row, depth, is_aligned(position + row, ld)};
  return x;
}

// The work-item's x and y: its first row and column in the tile, counted in vectors.
INLINE uint item_row(void) {
  const uint l = get_local_id(0);
  return l / (WARP_M * WARP_N) % (ITEMS_M / WARP_M) * WARP_M + l % WARP_M;
}
INLINE uint item_column(void) {
  const uint l = get_local_id(0);
  return l / (WARP_M * WARP_N) / (ITEMS_M / WARP_M) * WARP_N + l / WARP_M % WARP_N;
}

#if NAIVE
// No array: PoCL 5 stops at local memory that is not used.
#define LOCAL_K_TILES(k_tiles) __local vector* k_tiles = 0

INLINE void multiply_tile(real acc[ITEM_N][ITEM_M], Operand a, Operand b, __local vector* k_tiles) {
  const uint i = item_row(), j = item_column();
  acc[0][0] = 0;
  if (i < a.rows && j < b.rows) {
    for (Index k = 0; k < a.depth; ++k) acc[0][0] += a.at[i + k * a.ld] * b.at[j + k * b.ld];
  }
}

#else
#define K_TILE_A (TILE_M / VECTOR * TILE_K)  // Vectors of A's k-tile: [TILE_K][TILE_M / VECTOR].
#define K_TILE_B (TILE_N / VECTOR * TILE_K)
#define LOCAL_K_TILES(k_tiles) __local vector k_tiles[BUFFERS * (K_TILE_A + K_TILE_B)]
// Vectors of a k-tile that one work-item copies.
#define SHARE(k_tile) (((k_tile) + GROUP - 1) / GROUP)

// Loads this work-item's share of columns [k, k + TILE_K) of x.  Entries outside of x become zero.
INLINE void fetch(vector* share, const Operand x, Index k, const uint tile) {
  const uint across = tile / VECTOR, k_tile = across * TILE_K;
  __global const real* from = x.at + k * x.ld;
  if (x.aligned && x.rows >= (Index)tile && k + TILE_K <= x.depth) {
#pragma unroll
    for (uint q = 0; q < SHARE(k_tile); ++q) {
      const uint v = get_local_id(0) + q * GROUP;
      if (k_tile % GROUP == 0 || v < k_tile) {
        share[q] = *(__global const vector*)(from + v % across * VECTOR + v / across * x.ld);
      }
    }
  } else {
#pragma unroll
    for (uint q = 0; q < SHARE(k_tile); ++q) {
      const uint v = get_local_id(0) + q * GROUP;
      const Index column = v / across;
      real entries[VECTOR];
#pragma unroll
      for (uint e = 0; e < VECTOR; ++e) {
        const Index row = v % across * VECTOR + e;
        const bool inside = v < k_tile && row < x.rows && k + column < x.depth;
        entries[e] = inside ? from[row + column * x.ld] : 0;
      }
      share[q] = GATHERED(entries);
    }
  }
}

// Stores this work-item's share of a k-tile to local memory.
INLINE void stash(const vector* share, __local vector* to, const uint k_tile) {
#pragma unroll
  for (uint q = 0; q < SHARE(k_tile); ++q) {
    const uint v = get_local_id(0) + q * GROUP;
    if (k_tile % GROUP == 0 || v < k_tile) to[v] = share[q];
  }
}

// Loads the work-item's entries of one column of a k-tile: `count` vectors, `step` vectors apart.
INLINE void load_fragment(real* entries, __local const vector* from, const uint count,
                          const uint step) {
#pragma unroll
  for (uint i = 0; i < count; ++i) {
    const vector v = from[i * step];
    SCATTER(v, entries + i * VECTOR);
  }
}

// acc += A(:, k-tile) * B(:, k-tile)'
INLINE void multiply_k_tile(real acc[ITEM_N][ITEM_M], __local const vector* a,
                            __local const vector* b) {
  real a_part[FRAGMENTS][ITEM_M], b_part[FRAGMENTS][ITEM_N];
  __local const vector* my_a = a + item_row();
  __local const vector* my_b = b + item_column();
#if FRAGMENTS == 2
  load_fragment(a_part[0], my_a, ITEM_M / VECTOR, ITEMS_M);
  load_fragment(b_part[0], my_b, ITEM_N / VECTOR, ITEMS_N);
#endif
#pragma unroll
  for (uint k = 0; k < TILE_K; ++k) {
    const uint next = FRAGMENTS == 2 ? k + 1 : k;
    if (next < TILE_K) {
      load_fragment(a_part[next % FRAGMENTS], my_a + next * (TILE_M / VECTOR), ITEM_M / VECTOR,
                    ITEMS_M);
      load_fragment(b_part[next % FRAGMENTS], my_b + next * (TILE_N / VECTOR), ITEM_N / VECTOR,
                    ITEMS_N);
    }
#pragma unroll
    for (uint j = 0; j < ITEM_N; ++j) {
#pragma unroll
      for (uint i = 0; i < ITEM_M; ++i) {
        acc[j][i] += a_part[k % FRAGMENTS][i] * b_part[k % FRAGMENTS][j];
      }
    }
  }
}

// acc[j][i] := sum_k A(i, k) * B(j, k).
// @param a, b     operands of equal depth.
// @param k_tiles  LOCAL_K_TILES.  On return no work-item reads it any more, so that it may be
//                 overwritten.
INLINE void multiply_tile(real acc[ITEM_N][ITEM_M], Operand a, Operand b, __local vector* k_tiles) {
  vector a_share[SHARE(K_TILE_A)], b_share[SHARE(K_TILE_B)];
#pragma unroll
  for (uint j = 0; j < ITEM_N; ++j) {
#pragma unroll
    for (uint i = 0; i < ITEM_M; ++i) acc[j][i] = 0;
  }
  __local vector* now = k_tiles;
  fetch(a_share, a, 0, TILE_M);
  fetch(b_share, b, 0, TILE_N);
  stash(a_share, now, K_TILE_A);
  stash(b_share, now + K_TILE_A, K_TILE_B);
  LOCAL_BARRIER();
  for (Index k = 0; k < a.depth; k += TILE_K) {
    const bool more = k + TILE_K < a.depth;
#if BUFFERS == 2
    __local vector* next = k_tiles + (k / TILE_K + 1) % 2 * (K_TILE_A + K_TILE_B);
    if (more) {
      fetch(a_share, a, k + TILE_K, TILE_M);
      fetch(b_share, b, k + TILE_K, TILE_N);
    }
    multiply_k_tile(acc, now, now + K_TILE_A);
#else
    __local vector* next = k_tiles;
    multiply_k_tile(acc, now, now + K_TILE_A);
    LOCAL_BARRIER();
    if (more) {
      fetch(a_share, a, k + TILE_K, TILE_M);
      fetch(b_share, b, k + TILE_K, TILE_N);
    }
#endif
    if (more) {
      stash(a_share, next, K_TILE_A);
      stash(b_share, next + K_TILE_A, K_TILE_B);
    }
    LOCAL_BARRIER();
    now = next;
  }
}
#endif
