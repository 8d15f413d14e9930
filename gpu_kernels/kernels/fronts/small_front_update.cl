// Updates of a small front in local memory on fp64 tensor cores, in tiles of 16 x 16 entries:
//
//   F(i, j) -= sum over k of L(i, k) L(j, k)',   j in a range of block columns, i >= j
#include "fronts/small_front_room.cl"

#define TILE 16

// acc += L(row tile, k) * L(column tile, k)' for columns [k_begin, k_end); k_begin is a multiple of
// STEP.  Lane 4g + t has rows 2g, 2g + 1 and columns 4t .. 4t + 3 of the tile: see subtract_tile().
INLINE void multiply_tile(double acc[2][4], __local const double* F, int row, int column,
                          int k_begin, int k_end) {
  const int lane = warp_lane(), g = lane / 4, t = lane % 4;
#pragma unroll 1
  for (int k = k_begin; k < k_end; k += STEP) {
#pragma unroll
    for (int q = 0; q < STEP; q += 4) {
      __local const double* const x = F + column_begin(k) + (t + q) * (ROWS + PAD - k) + 2 * g;
      double2 a = *(__local const double2*)(x + row), b = *(__local const double2*)(x + column);
      if (k + STEP > k_end && k + q + t >= k_end) a = b = pair(0.0, 0.0);
      const double rows[2] = {a.x, a.y}, even[1] = {b.x}, odd[1] = {b.y};
      mma_m16n8k4(acc[0], rows, even);
      mma_m16n8k4(acc[1], rows, odd);
    }
  }
}

// F(tile) -= acc, in block columns [block_begin, block_end), on the diagonal blocks and below.
INLINE void subtract_tile(__local double* F, double acc[2][4], int row, int column, int block_begin,
                          int block_end) {
  const int lane = warp_lane(), i = row + 2 * (lane / 4), j = column + 4 * (lane % 4);
  const int block = j / STEP;
  if (block < block_begin || block >= block_end || i < STEP * block || i >= ROWS) return;
  __local double* const to = F + column_begin(j) + i;
  double2 old[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    old[e] = *(__local const double2*)(to + e * (ROWS + PAD - STEP * block));
  }
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    *(__local double2*)(to + e * (ROWS + PAD - STEP * block)) =
        pair(old[e].x - acc[e % 2][e / 2], old[e].y - acc[e % 2][2 + e / 2]);
  }
}

// Subtracts the products with columns k in [k_begin, k_end) from block columns
// [block_begin, block_end) of F.  The warps of the front take tiles in turn.
INLINE void update_blocks(__local double* F, int block_begin, int block_end, int nrow, int k_begin,
                          int k_end) {
  int turn = own_warp();  // Number of tiles before the warp's next tile.
#pragma unroll 1
  for (int column = block_begin / 2 * TILE; column < STEP * block_end; column += TILE) {
#pragma unroll 1
    for (int row = column; row < nrow; row += TILE) {
      if (turn-- == 0) {
        turn = WARPS - 1;
        double acc[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        multiply_tile(acc, F, row, column, k_begin, k_end);
        subtract_tile(F, acc, row, column, block_begin, block_end);
      }
    }
  }
}
