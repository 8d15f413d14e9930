// Triangular solves by blocks of 16 x 16 on tensor cores, for block row Y and block column j:
//
//   X := Y_j inv(L_jj)',   Y_q := Y_q - X L_qj',  q > j
//
// Include front_batch_tile.cl first.

// Makes a block the left operand of a product of depth 16.  The lane has rows 2g and 2g + 1,
// columns 4t .. 4t + 3: a[2k + i] is row 2g + i, column 4t + k.  The order of columns is free as
// long as both operands have the same order.
INLINE void as_left(double a[8], __private const Block* block) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    a[0 + i] = block->at[0][2 * i];
    a[2 + i] = block->at[1][2 * i];
    a[4 + i] = block->at[0][2 * i + 1];
    a[6 + i] = block->at[1][2 * i + 1];
  }
}

// Rows 2g and 2g + 1 of a block as the right operand, in the same order of columns.
typedef struct Right {
  double rows[2][4];
} Right;

INLINE double2 read_pair(__local const double* from) { return *(__local const double2*)from; }
INLINE void put_pair(__local double* to, double x, double y) {
  *(__local double2*)to = pair(x, y);
}

INLINE void set_row(__private Right* b, const int i, double2 low, double2 high) {
  b->rows[i][0] = low.x, b->rows[i][1] = low.y;
  b->rows[i][2] = high.x, b->rows[i][3] = high.y;
}

INLINE void load_right(__private Right* b, __local const double* M) {
  const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    set_row(b, i, read_pair(M + SMALL_PLACE(2 * g + i, 4 * t)),
            read_pair(M + SMALL_PLACE(2 * g + i, 4 * t + 2)));
  }
}

// Makes a right operand of a left operand.  A lane holds the same entries of a block in both.
INLINE void as_right(__private Right* b, double x[8]) {
#pragma unroll
  for (int e = 0; e < 8; ++e) b->rows[e % 2][e / 2] = x[e];
}

// block += X * B'
INLINE void add_product(__private Block* block, double x[8], __private const Right* b) {
  mma_m16n8k16(block->at[0], x, b->rows[0]);
  mma_m16n8k16(block->at[1], x, b->rows[1]);
}

// X := -block * inverse'
INLINE void solve_block(double x[8], __private const Block* block, __private const Right* inverse) {
  Block solved = {{{0, 0, 0, 0}, {0, 0, 0, 0}}};
  double y[8];
  as_left(y, block);
#pragma unroll
  for (int e = 0; e < 8; ++e) y[e] = -y[e];
  add_product(&solved, y, inverse);
  as_left(x, &solved);
}

// Sets columns from `good` on to zero.  After a failed pivot, the panel has columns of the
// identity, which are zero below the diagonal.  `good` counts from the block's first column.
INLINE void keep_good(double x[8], int good) {
  const int t = get_local_id(0) % 4;
#pragma unroll
  for (int e = 0; e < 8; ++e) x[e] = 4 * t + e / 2 < good ? x[e] : 0.0;
}

// Stores a block at (row, column) of the front's panel.
INLINE void store_block(const Place at, double x[8], Index row, Index column) {
  const int lane = get_local_id(0) % 32;
  const Index own_row = row + 2 * (lane / 4), own_column = column + 4 * (lane % 4);
  __global double* const to = at.panel + own_row + own_column * at.ldp;
  if (row + SMALL <= at.nrow && column + SMALL <= at.ncol) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      *(__global double2*)(to + k * at.ldp) = pair(x[2 * k], x[2 * k + 1]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (own_column + k < at.ncol) {
        if (own_row < at.nrow) to[k * at.ldp] = x[2 * k];
        if (own_row + 1 < at.nrow) to[k * at.ldp + 1] = x[2 * k + 1];
      }
    }
  }
}
