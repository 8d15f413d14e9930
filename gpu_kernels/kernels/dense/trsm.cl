// Triangular solves from the right, many in one launch, by inverted diagonal blocks W(J):
//
//   X := X * L^-T:   X(:, J) := (X(:, J) - X(:, <J) * L(J, <J)') * W(J)'   for blocks J in order
//
//   operand     shape              storage                             access
//   X           m x order          column-major, ldx >= m              read and written
//   L           order x order      column-major, ld >= order, lower    read; no overlap with X
//   inverses    order x TILE_N     as written by dense/trinv.cl        read
//   tiles       work-groups        list of SolveTile                   read
//   solves                         list of RightSolve                  read
//   triangles                      list of LowerTriangle               read
//
// A work-group has TILE_M rows of X.  It computes blocks of TILE_N columns, one after another, with
// the loop of product_tile.cl; for later blocks it reads the columns of X that it has stored.
// Work-groups of GROUP work-items; local memory as in gemm.cl.
// Error: about eps * cond(L(J, J)) for each block J; a substitution has eps.
#include "runtime/common.cl"

#include "dense/dense_args.h"
#include "dense/product_tile.cl"

// X(:, J) := X(:, J) - acc with `subtract`, otherwise acc.
INLINE void store_rows(real acc[ITEM_N][ITEM_M], __global real* X, Offset ldx, Index rows,
                       Index columns, bool subtract) {
#pragma unroll
  for (uint j = 0; j < ITEM_N; ++j) {
    const Index c = (item_column() + j / VECTOR * ITEMS_N) * VECTOR + j % VECTOR;
#pragma unroll
    for (uint i = 0; i < ITEM_M; ++i) {
      const Index r = (item_row() + i / VECTOR * ITEMS_M) * VECTOR + i % VECTOR;
      if (r < rows && c < columns) {
        __global real* to = X + r + c * ldx;
        *to = subtract ? *to - acc[j][i] : acc[j][i];
      }
    }
  }
}

__kernel WORK_GROUP(GROUP) void trsm(__global const SolveTile* tiles, Offset tiles_offset,
                                     __global const RightSolve* solves, Offset solves_offset,
                                     __global const LowerTriangle* triangles,
                                     Offset triangles_offset, __global const real* L,
                                     Offset L_offset, __global const real* inverses,
                                     Offset inverses_offset, __global real* X, Offset X_offset) {
  LOCAL_K_TILES(k_tiles);
  const SolveTile tile = tiles[tiles_offset + get_group_id(0)];
  const RightSolve solve = solves[solves_offset + tile.solve];
  const LowerTriangle triangle = triangles[triangles_offset + solve.triangle];
  const Offset first = X_offset + solve.x;
  const Index rows = solve.m - tile.row;
  real acc[ITEM_N][ITEM_M];
  for (Index begin = 0; begin < triangle.order; begin += TILE_N) {
    const Index width = min(triangle.order - begin, TILE_N);
    __global real* to = X + first + tile.row + begin * solve.ldx;
    // X(:, <J) * L(J, <J)', which is zero for the first block.
    multiply_tile(
        acc, operand(X, first, solve.ldx, solve.m, tile.row, begin),
        operand(L, L_offset + triangle.triangle, triangle.ld, triangle.order, begin, begin),
        k_tiles);
    store_rows(acc, to, solve.ldx, rows, width, true);
    FULL_BARRIER();
    multiply_tile(acc, operand(X, first + begin * solve.ldx, solve.ldx, solve.m, tile.row, width),
                  operand(inverses, inverses_offset + triangle.inverses + (Offset)begin * TILE_N,
                          TILE_N, TILE_N, 0, width),
                  k_tiles);
    FULL_BARRIER();
    store_rows(acc, to, solve.ldx, rows, width, false);
    FULL_BARRIER();
  }
}
