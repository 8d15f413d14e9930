// Small fronts of more than 32 rows on fp64 tensor cores, for devices with warps:
//
//   F := A's entries + sum over children, in order, of their updates through relative indices
//   L11 L11' = F11,   L21 := F21 L11^-T,   U := F22 - L21 L21'
//
// Operands, failed pivots and the entries that are neither read nor written are those of
// small_front.cl.  Leading dimensions of panels must be below 4096.  REAL must be double.
//
// Right-looking within the panel, in steps of STEP columns.  Every work-item factors the diagonal
// block for itself, in registers, which costs less than passing columns on, and eliminates its
// columns from its own row.  Then the panel's other columns are updated in tiles of 16 x 16
// entries.  The update matrix is computed after the panel is done: so each of its tiles is read and
// written once.
//
// Work-groups of FRONTS * LANES work-items.  Local memory: FRONTS * ROOM values.
#ifndef ROWS
#define ROWS 64
#endif
#if ROWS % 32 != 0
#error "a front of tiles has whole warps"
#endif
#define LANES ROWS
#include "fronts/small_front_update.cl"

// Loads the diagonal block: d[i][k] := F(first + i, first + k).  Only i >= k is used.
INLINE void load_block(double d[STEP][STEP], __local const double* F, int first) {
  __local const double* const block = F + column_begin(first) + first;
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
#pragma unroll
    for (int i = k / 2 * 2; i < STEP; i += 2) {
      const double2 x = *(__local const double2*)(block + k * (ROWS + PAD - first) + i);
      d[i][k] = x.x;
      d[i + 1][k] = x.y;
    }
  }
}

// Factors the first `width` columns of the diagonal block d, and eliminates them from a row v of
// eight entries.  Two columns at a time:
//
//   [a b; b c] = L L',  det = a c - b^2:  1/l11 = a^-1/2,  1/l22 = a (a^-1/2 det^-1/2)
//
// Returns zero, with v undefined, when a pivot or determinant is out of range.
INLINE int eliminate_pairs(double d[STEP][STEP], double v[STEP], int width) {
  int good = 1;
#pragma unroll
  for (int j = 0; j < STEP; j += 2) {
    if (j < width) {
      const int second = j + 1 < width;
      const double a = d[j][j], b = d[j + 1][j], det = fma(a, d[j + 1][j + 1], -b * b);
      good &= is_pivot(a) & ((!second) | is_pivot(det));
      const double root_a = reciprocal_sqrt(a);
      const double root = second ? root_a * reciprocal_sqrt(det) : 0.0;
      const double x = v[j] * root_a, y = fma(a, v[j + 1], -b * v[j]) * root;
      v[j] = x;
      v[j + 1] = second ? y : fma(-x, b * root_a, v[j + 1]);
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
        v[c] = fma(-y, d[c][j + 1], fma(-x, d[c][j], v[c]));
      }
    }
  }
  return good;
}

// Eliminates pivot columns [first, first + width) from the rows of the front, in the columns of
// their block.
INLINE void eliminate_block(__local double* F, int first, int width,
                            __private PivotStatus* failure) {
  const int row = own_item();
  double v[STEP];
  __local double* const to = F + column_begin(first) + row;
  if (row / 32 * 32 + 31 >= first) {
    double d[STEP][STEP];
    load_block(d, F, first);
    if (row >= first) {
#pragma unroll
      for (int k = 0; k < STEP; ++k) v[k] = to[k * (ROWS + PAD - first)];
    }
    if (failure->column >= 0 || !eliminate_pairs(d, v, width)) {
      eliminate_slowly(F, first, first + width, first + width, first + STEP, failure);
      if (row >= first) {
#pragma unroll
        for (int k = 0; k < STEP; ++k) v[k] = to[k * (ROWS + PAD - first)];
      }
    } else if (row >= first + STEP) {
#pragma unroll
      for (int k = 0; k < STEP; ++k) to[k * (ROWS + PAD - first)] = v[k];
    }
  }
  FRONT_BARRIER();
  // Rows of the diagonal block are stored after all work-items have read the block.
  if (row >= first && row < first + STEP) {
#pragma unroll
    for (int k = 0; k < STEP; ++k) to[k * (ROWS + PAD - first)] = v[k];
  }
}

INLINE void store_front(__local const double* F, __private const Front* front,
                        __global double* panel, __global double* update) {
  const int nrow = front->nrow, ncol = front->ncol, padded = (nrow - ncol + 7) / 8 * 8;
#pragma unroll 4
  for (int c = own_warp(); c < nrow; c += WARPS) {
    __local const double* const from = F + column_begin(c);
    __global double* const to =
        c < ncol ? panel + c * front->ldp : update + update_column(padded, c - ncol) - ncol;
#pragma unroll
    for (int h = 0; h < ROWS; h += 32) {
      const int i = c + h + own_lane();
      if (i < nrow) to[i] = from[i];
    }
  }
}

__kernel void small_front_tiles(SMALL_FRONT_PARAMETERS) {
  LOCAL_ARRAY(double, room, FRONTS* ROOM);
  const int own = (int)get_local_id(0) / LANES;
  __local double* const F = room + own * ROOM;
  const Offset place = (Offset)get_group_id(0) * FRONTS + own;
  if (place >= num_listed) return;
  const Index f = AT(list)[place];
  const Front front = AT(fronts)[f];

  __global const double* const scaling = scale ? AT(scale) : scale;
  clear_room(F, front.nrow);
  FRONT_BARRIER();
  load_entries(F, &front, AT(entry_source), AT(entry_place), AT(values), scaling, AT(rowind));
  FRONT_BARRIER();
  add_children(F, &front, AT(children), AT(relind), AT(from_updates));

  PivotStatus failure = {-1, 0, 0};
  const int panel_blocks = (front.ncol + STEP - 1) / STEP;
  const int blocks = (front.nrow + STEP - 1) / STEP;
#pragma unroll 1
  for (int first = 0; first < front.ncol; first += STEP) {
    const int end = min(first + STEP, front.ncol);
    eliminate_block(F, first, end - first, &failure);
    update_blocks(F, first / STEP + 1, panel_blocks, front.nrow, first, end);
    FRONT_BARRIER();
  }
  update_blocks(F, panel_blocks, blocks, front.nrow, 0, front.ncol);
  FRONT_BARRIER();
  store_front(F, &front, AT(panels) + front.panel, AT(updates) + front.update);
  if (own_item() == LANES - 1) AT(status)[f] = failure;
}
