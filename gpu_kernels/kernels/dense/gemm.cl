// Products of column-major matrices, many in one launch:
//
//   C := C - A * B'     or     C := -A * B'      (entries are real, so that A * B' = A * B^H)
//
//   operand   shape   storage                                     access
//   A         m x k   column-major, lda >= m                      read
//   B         n x k   column-major, ldb >= n; may be A            read
//   C         m x n   column-major, ldc >= m, or update layout    written; read for C - A * B';
//                                                                 no overlap with A, B
//   tiles     work-groups   list of MatrixTile                    read
//   products                list of MatrixProduct                 read
//   status    fronts        list of PivotStatus, or null          read
//
// Any sizes >= 0 and any alignment; offsets and leading dimensions are 64-bit.  With CLCHOL_LOWER
// the entries above the diagonal of C are neither read nor written.  Rows past m and n (padding)
// and entries above a triangle's diagonal may hold anything.  Vector loads and stores are used
// where offset and leading dimension are aligned and the tile is whole.
//
// Work-groups of GROUP = TILE_M / ITEM_M * TILE_N / ITEM_N work-items; local memory
// BUFFERS * (TILE_M + TILE_N) * TILE_K values.  product_tile.cl describes the parameters.
#include "runtime/common.cl"

#include "dense/dense_args.h"
#include "dense/live_product.cl"
#include "dense/product_tile.cl"
#include "dense/update_layout.cl"

// Columns of C that are read before the first of them is written, so that reads wait for no store.
#define BATCH (ITEM_N < 4 ? ITEM_N : 4)

// Returns the offset of entry (0, j) of C, which the update layout need not store.
INLINE Offset column_position(const MatrixProduct* p, Index j) {
  return p->c + ((p->form & CLCHOL_UPDATE) ? update_column_offset(p->m, j) : j * p->ldc);
}

// Returns whether the tile has no entry outside of C or above its diagonal, and its vectors are
// aligned.
// @param position  offset of the view of C.
INLINE bool is_whole(const MatrixProduct* p, MatrixTile tile, Offset position) {
  // In the update layout, leading dimensions are multiples of 8.
  const Offset ld = (p->form & CLCHOL_UPDATE) ? 0 : p->ldc;
  return is_aligned(position + p->c + tile.row, ld) && tile.row + TILE_M <= p->m &&
         tile.column + TILE_N <= p->n &&
         (!(p->form & CLCHOL_LOWER) || tile.row >= tile.column + TILE_N - 1);
}

// C := C - acc or -acc, for a tile that is_whole(): by vectors.
INLINE void store_whole(real acc[ITEM_N][ITEM_M], const MatrixProduct* p, MatrixTile tile,
                        __global real* C) {
  const Index row = tile.row + item_row() * VECTOR, column = tile.column + item_column() * VECTOR;
#pragma unroll
  for (uint first = 0; first < ITEM_N; first += BATCH) {
    vector old[BATCH][ITEM_M / VECTOR];
    __global vector* to[BATCH];
#pragma unroll
    for (uint j = 0; j < BATCH; ++j) {
      const uint at = (first + j) / VECTOR * VECTOR * ITEMS_N + (first + j) % VECTOR;
      to[j] = (__global vector*)(C + column_position(p, column + at) + row);
#pragma unroll
      for (uint i = 0; i < ITEM_M / VECTOR; ++i) {
        old[j][i] = 0;
        if (p->form & CLCHOL_SUBTRACT) old[j][i] = to[j][i * ITEMS_M];
      }
    }
#pragma unroll
    for (uint j = 0; j < BATCH; ++j) {
#pragma unroll
      for (uint i = 0; i < ITEM_M / VECTOR; ++i) {
        to[j][i * ITEMS_M] = old[j][i] - GATHERED(acc[first + j] + i * VECTOR);
      }
    }
  }
}

// C := C - acc or -acc, for any tile: entry by entry, for entries of C that the product writes.
INLINE void store_edge(real acc[ITEM_N][ITEM_M], const MatrixProduct* p, MatrixTile tile,
                       __global real* C) {
  const Index row = tile.row + item_row() * VECTOR, column = tile.column + item_column() * VECTOR;
#pragma unroll
  for (uint j = 0; j < ITEM_N; ++j) {
    const Index c = column + j / VECTOR * VECTOR * ITEMS_N + j % VECTOR;
    const Index first = (p->form & CLCHOL_LOWER) ? c : 0;
    __global real* to = C + column_position(p, c);
    real old[ITEM_M];
#pragma unroll
    for (uint i = 0; i < ITEM_M; ++i) {
      const Index r = row + i / VECTOR * VECTOR * ITEMS_M + i % VECTOR;
      const bool read = (p->form & CLCHOL_SUBTRACT) && c < p->n && r < p->m && r >= first;
      old[i] = read ? to[r] : 0;
    }
#pragma unroll
    for (uint i = 0; i < ITEM_M; ++i) {
      const Index r = row + i / VECTOR * VECTOR * ITEMS_M + i % VECTOR;
      if (c < p->n && r < p->m && r >= first) to[r] = old[i] - acc[j][i];
    }
  }
}

__kernel WORK_GROUP(GROUP) void gemm(__global const MatrixTile* tiles, Offset tiles_offset,
                                     __global const MatrixProduct* products, Offset products_offset,
                                     __global const real* A, Offset A_offset,
                                     __global const real* B, Offset B_offset, __global real* C,
                                     Offset C_offset, __global const PivotStatus* status,
                                     Offset status_offset) {
  LOCAL_K_TILES(k_tiles);
  const MatrixTile tile = tiles[tiles_offset + get_group_id(0)];
  const MatrixProduct p =
      live_product(products[products_offset + tile.matrix], status + status_offset);
  real acc[ITEM_N][ITEM_M];
  multiply_tile(acc, operand(A, A_offset + p.a, p.lda, p.m, tile.row, p.k),
                operand(B, B_offset + p.b, p.ldb, p.n, tile.column, p.k), k_tiles);
  if (is_whole(&p, tile, C_offset)) {
    store_whole(acc, &p, tile, C + C_offset);
  } else {
    store_edge(acc, &p, tile, C + C_offset);
  }
}
