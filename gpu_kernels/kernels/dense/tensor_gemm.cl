// Products of column-major matrices on fp64 tensor cores, many in one launch, as gemm.cl computes
// them:
//
//   C := C - A * B'     or     C := -A * B'
//
//   operand   shape   storage                                       access
//   A         m x k   column-major: even offset and even lda        read
//   B         n x k   column-major: as A; may be A                  read
//   C         m x n   column-major, ldc >= m, or update layout      written; read for C - A * B';
//                                                                   no overlap with A, B
//   tiles               list of MatrixTile, whole_tiles first       read
//   products            list of MatrixProduct                       read
//   status    fronts    list of PivotStatus, or null                read
//   partials  TILE_M * TILE_N for each work-group of a sliced tile: workspace   overwritten
//   arrivals  a counter for each sliced tile, zero before and after             read, written
//
// If m or n is odd, the last row of A or B is copied together with the entry after it, which may
// hold anything; no other entry past m, n, k is read.  With CLCHOL_LOWER the entries above the
// diagonal of C are neither read nor written.
//
// The first `whole_tiles` tiles have one work-group each.  Every other tile has `slices`
// work-groups, among which the columns of A and B are divided.  Each stores its part of the sum in
// the workspace, and the work-group that arrives last adds all parts in the order of k: the same
// bits at every run, and no work-group waits.  With one slice, partials and arrivals are not used.
//
// Work-groups of GROUP work-items; local memory K_TILES_SIZE values and one integer.
// tensor_product.cl describes the parameters.
#include "runtime/common.cl"

#include "dense/dense_args.h"
#include "dense/live_product.cl"
#include "dense/tensor_product.cl"
#include "dense/update_layout.cl"

#if UPDATE_BLOCK % WARP_N != 0
#error "a warp's columns lie in one block of the update layout"
#endif
// Limit of registers per work-item that the host gave the compiler.  The compiler obeys the limit
// only in kernels without a required work-group size.  0: no limit.
#ifndef REGISTERS
#define REGISTERS 0
#endif
#if REGISTERS == 0
#define REQUIRED_SIZE WORK_GROUP(GROUP)
#else
#define REQUIRED_SIZE
#endif

// 1: loads and stores of C evict no entries of A and B from the caches.
#ifndef STREAMED_C
#define STREAMED_C 0
#endif
#if STREAMED_C
#define LOAD_C(from) load_streamed(from)
#define STORE_C(to, value) store_streamed(to, value)
#else
#define LOAD_C(from) (*(from))
#define STORE_C(to, value) (*(to) = (value))
#endif

// ---- A warp's part of a tile

typedef struct WarpTile {
  Index row, column;  // First row and column of the warp's entries of C.
  KTileRows rows;     // Offsets of the warp's rows of A and of B in a k-tile.
} WarpTile;

// Whether each warp's part lies in one quarter of the tile: TileShape::joins_diagonals.
#define JOINS_DIAGONALS (TILE_M == TILE_N && WARPS_M % 2 == 0 && WARPS_N % 2 == 0)

INLINE WarpTile warp_tile(const MatrixProduct* p, MatrixTile tile) {
  const Index i = warp_row(), j = warp_column();
  WarpTile w = {tile.row + i, tile.column + j, {i, B_IN_K_TILE + j}};
  if (JOINS_DIAGONALS && (p->form & CLCHOL_SAME) && tile.column > tile.row) {
    // A's k-tile holds the rows of the diagonal tile at tile.row, B's k-tile the rows of the fourth
    // diagonal tile, at tile.column.  The warps of the upper right quarter compute one quarter of
    // the fourth tile; the others compute the diagonal tile at tile.row.
    const Index middle = TILE_M / 2;
    if (i < middle && j >= middle) {
      const Index quarter = 3 - (tile.column - tile.row) / TILE_M;
      const Index down = i + (quarter > 0 ? middle : 0), right = j - (quarter < 2 ? middle : 0);
      const WarpTile fourth = {
          tile.column + down, tile.column + right, {B_IN_K_TILE + down, B_IN_K_TILE + right}};
      w = fourth;
    } else {
      w.column = tile.row + j;
      w.rows.b = j;
    }
  }
  return w;
}

// ---- C

// A work-item's entries of C; rows and columns count from its first entry.
typedef struct Target {
  __global double* at;  // The work-item's first entry.
  Offset ld;
  Index rows, columns;  // Rows and columns from the first entry to the last of C; may be <= 0.
  Index above;          // Entry (i, j) is read and written only if i - j >= above.
} Target;

INLINE Target target_of(const MatrixProduct* p, const WarpTile w, __global double* C) {
  const Index row = w.row + lane_row(), column = w.column + lane_column();
  const bool lower = p->form & CLCHOL_LOWER;
  Target to = {C + p->c + row, p->ldc, p->m - row, p->n - column, lower ? column - row : -p->n};
  if (p->form & CLCHOL_UPDATE) {
    to.at += update_column_offset(p->m, column);
    to.ld = ((Offset)p->m + 7) / 8 * 8 - column / UPDATE_BLOCK * UPDATE_BLOCK;
  } else {
    to.at += column * p->ldc;
  }
  return to;
}

// Returns whether the tile has no entry outside of C or above its diagonal, and its pairs of rows
// are aligned.  (Buffers and columns of update matrices begin at multiples of 16 bytes.)
INLINE bool is_whole(const MatrixProduct* p, MatrixTile tile, Offset C_offset) {
  const Offset ld = (p->form & CLCHOL_UPDATE) ? 0 : p->ldc;
  return ((C_offset + p->c) | ld) % 2 == 0 && tile.row + TILE_M <= p->m &&
         tile.column + TILE_N <= p->n &&
         (!(p->form & CLCHOL_LOWER) || tile.row >= tile.column + TILE_N - 1);
}

// acc := -C with `subtract`, otherwise zero, for a tile that is_whole().
INLINE void load_whole(__private Accumulators* acc, const Target to, const bool subtract) {
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        double2 before = pair(0.0, 0.0);
        if (subtract) {
          before = LOAD_C((__global const double2*)(to.at + 16 * i + column_of(j, e) * to.ld));
        }
        set_negated_pair(acc, i, j, e, before);
      }
    }
  }
}

// C := -acc, for a tile that is_whole().
INLINE void store_whole(__private const Accumulators* acc, const Target to) {
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        STORE_C((__global double2*)(to.at + 16 * i + column_of(j, e) * to.ld),
                negated_pair(acc, i, j, e));
      }
    }
  }
}

// acc := -C, for any tile: entry by entry.
INLINE void load_edge(__private Accumulators* acc, const Target to) {
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Index r = 16 * i + e / 2, c = column_of(j, e);
        double before = 0;
        if (r < to.rows && c < to.columns && r - c >= to.above) before = to.at[r + c * to.ld];
        acc->at[i][j][e] = -before;
      }
    }
  }
}

// C := -acc, for any tile: entry by entry.
INLINE void store_edge(__private const Accumulators* acc, const Target to) {
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Index r = 16 * i + e / 2, c = column_of(j, e);
        if (r < to.rows && c < to.columns && r - c >= to.above) {
          to.at[r + c * to.ld] = -acc->at[i][j][e];
        }
      }
    }
  }
}

// ---- Slices of k

// Returns the number of columns of a slice, a multiple of TILE_K.  There are at most `slices`
// slices with columns, and the last of them may have fewer.
INLINE Index slice_depth(Index k, Index slices) {
  return ((k + slices - 1) / slices + TILE_K - 1) / TILE_K * TILE_K;
}

// Pairs of accumulators of a work-item.  In the workspace, the pairs q of all work-items of a
// work-group are contiguous.
#define PAIRS (ROW_BLOCKS * COLUMN_BLOCKS * 2)
INLINE __global double2* own_pairs(__global double* partials, Index group) {
  return (__global double2*)(partials + (Offset)group * (TILE_M * TILE_N)) + get_local_id(0);
}

// Stores the part of the tile that work-group g has computed.
INLINE void store_part(__private const Accumulators* acc, __global double* partials, Index g) {
  __global double2* const to = own_pairs(partials, g);
#pragma unroll
  for (int q = 0; q < PAIRS; ++q) {
    __private const double* const two = acc->at[q / 2 / COLUMN_BLOCKS][q / 2 % COLUMN_BLOCKS];
    to[q * GROUP] = pair(two[q % 2 * 2], two[q % 2 * 2 + 1]);
  }
}

// acc := the sum of the parts of the `count` work-groups g, g + step, ..., added in this order.
INLINE void add_parts(__private Accumulators* acc, __global double* partials, Index g, Index step,
                      Index count) {
#pragma unroll 1
  for (Index s = 0; s < count; ++s) {
    __global const double2* const from = own_pairs(partials, g + s * step);
#pragma unroll
    for (int q = 0; q < PAIRS; ++q) {
      __private double* const two =
          acc->at[q / 2 / COLUMN_BLOCKS][q / 2 % COLUMN_BLOCKS] + q % 2 * 2;
      const double2 part = from[q * GROUP];
      two[0] = s == 0 ? part.x : two[0] + part.x;
      two[1] = s == 0 ? part.y : two[1] + part.y;
    }
  }
}

// Counts this work-group's arrival and returns whether all `count` work-groups have arrived.  If
// so, this work-group sees all that they wrote before, and it resets the counter to zero.
INLINE bool is_last(__global int* arrivals, Index count, __local int* before) {
  fence_device();
  LOCAL_BARRIER();
  if (get_local_id(0) == 0) {
    *before = atomic_inc(arrivals);
    if (*before == count - 1) *arrivals = 0;
  }
  LOCAL_BARRIER();
  fence_device();
  return *before == count - 1;
}

__kernel REQUIRED_SIZE void tensor_gemm(__global const MatrixTile* tiles, Offset tiles_offset,
                                        __global const MatrixProduct* products,
                                        Offset products_offset, __global const double* A,
                                        Offset A_offset, __global const double* B, Offset B_offset,
                                        __global double* C, Offset C_offset,
                                        __global const PivotStatus* status, Offset status_offset,
                                        Index whole_tiles, Index slices, __global double* partials,
                                        __global int* arrivals) {
  LOCAL_ARRAY(double, k_tiles, K_TILES_SIZE);
  LOCAL_ARRAY(int, before, 1);
  // Work-groups of whole tiles come first, then the first slices of all sliced tiles, and so on.
  const Index group = get_group_id(0), sliced = group - whole_tiles;
  const Index num_sliced = ((Index)get_num_groups(0) - whole_tiles) / slices;
  const bool is_sliced = sliced >= 0;
  const Index slice = is_sliced ? sliced / num_sliced : 0;
  const Index place = group - slice * num_sliced, of_sliced = place - whole_tiles;
  // The first product, which is often the only one, is loaded without waiting for the tile.
  MatrixProduct p = products[products_offset];
  const MatrixTile tile = tiles[tiles_offset + place];
  if (tile.matrix != 0) p = products[products_offset + tile.matrix];
  p = live_product(p, status + status_offset);
  const Index depth = slice_depth(p.k, is_sliced ? slices : 1), begin = slice * depth;
  if (slice > 0 && begin >= p.k) return;

  const Movers movers =
      begin_k_tiles(k_tiles, A + A_offset + p.a + begin * p.lda + tile.row, p.lda, p.m - tile.row,
                    B + B_offset + p.b + begin * p.ldb + tile.column, p.ldb, p.n - tile.column,
                    min(depth, p.k - begin));
  // C is read while the first k-tiles are being copied.  Only the first slice adds C.
  Accumulators acc;
  const WarpTile own = warp_tile(&p, tile);
  const Target to = target_of(&p, own, C + C_offset);
  const bool whole = is_whole(&p, tile, C_offset);
  const bool subtract = (p.form & CLCHOL_SUBTRACT) && slice == 0;
  // The condition is outside of the loops: inside, it would become a predicate of every access.
  if (!subtract) {
    load_whole(&acc, to, false);
  } else if (whole) {
    load_whole(&acc, to, true);
  } else {
    load_edge(&acc, to);
  }
  multiply_k_tile_rows(&acc, k_tiles, movers, min(depth, p.k - begin), own.rows);
  if (depth < p.k) {
    const Index count = (p.k + depth - 1) / depth;
    store_part(&acc, partials, sliced);
    if (!is_last(arrivals + of_sliced, count, before)) return;
    add_parts(&acc, partials, of_sliced, num_sliced, count);
  }
  if (whole) {
    store_whole(&acc, to);
  } else {
    store_edge(&acc, to);
  }
}
