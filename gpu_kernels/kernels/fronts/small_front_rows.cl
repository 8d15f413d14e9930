// Small fronts of at most 64 rows, with a warp or a part of a warp for each front:
//
//   F := A's entries + sum over children, in order, of their updates through relative indices
//   L11 L11' = F11,   L21 := F21 L11^-T,   U := F22 - L21 L21'
//
// For devices with warps and, above 16 rows, fp64 tensor cores.  Every lane computes the pivots for
// itself; where a warp has several fronts, it computes their pivots at the same time.
//
// Operands, failed pivots and the entries that are neither read nor written are those of
// small_front.cl, except that columns are stored in whole sectors: see stored_rows().  Leading
// dimensions of panels must be below 4096.  REAL must be double.
//
// Right-looking in blocks of WIDE columns; each lane holds its rows of the block in registers.
// Two columns of a block are eliminated at a time, so that two square roots are computed at the
// same time:
//
//   [a b; b d] = L L',  det = a d - b^2:  1/l11 = a^-1/2,  1/l22 = a (a^-1/2 det^-1/2)
//
// A lane scales its own rows.  The rows of the diagonal block publish their two entries of L in
// local memory, and every lane subtracts the products with them from its rows.  Every lane computes
// the next pivots before that.  The columns right of the block are then updated in tiles.  F keeps
// a block as assembled until the block is done, for the rare front in which a pivot fails.
//
// Work-groups of FRONTS * LANES work-items.  Local memory: FRONTS * (ROOM + SHOWN) values.  About
// 60 + 2 * WIDE * OWNED registers.
#ifndef ROWS
#define ROWS 32  // Rows of the largest front: 8, 16, or a multiple of 8 up to 64.
#endif
#if ROWS > 64
#error "a front of more rows than a warp takes"
#endif
#ifndef LANES
#define LANES (ROWS < 32 ? ROWS : 32)  // Work-items of a front: ROWS up to 16 rows, else 16 or 32.
#endif
#include "fronts/small_front_update.cl"

#ifndef WIDE
#define WIDE (ROWS < 16 ? ROWS : 16)  // Columns of a block: ROWS up to 16 rows, else 8 or 16.
#endif
#define OWNED ((ROWS + LANES - 1) / LANES)  // Rows of a lane: lane, lane + LANES, ...
// Entries that rows of the diagonal block publish: two entries of L per row, then the entries of
// the next two rows in the next two columns.  There are two sets, because writers do not wait for
// readers.
#define SHOWN_SET (WIDE + 2)
#define SHOWN (2 * 2 * SHOWN_SET)

// The lane's rows in columns [first, first + WIDE).
typedef struct Rows {
  double of[OWNED][WIDE];
} Rows;

// Returns the entries of two columns, x and y, in the row that the lane has of the diagonal block
// at `first`.
INLINE double2 pair_of_block(int first, __private const double* x, __private const double* y) {
  const int h = OWNED > 1 && first >= LANES ? 1 : 0;
  return h > 0 ? pair(x[OWNED - 1], y[OWNED - 1]) : pair(x[0], y[0]);
}

// Eliminates columns [first, min(first + WIDE, ncol)) within the block at `first`.  Returns zero,
// with *rows undefined, when a pivot or determinant is out of range.
// @param most_rows, most_columns  the largest nrow and ncol of the warp's fronts.
INLINE int eliminate_block(__private Rows* rows, __local const double* F, __local double2* shown,
                           int first, int ncol, int most_rows, int most_columns) {
  const uint place = (uint)(own_lane() - first % LANES);  // Number of the lane's row in the block.
  __local const double* const begin = F + column_begin(first) + first;
  int good = 1;
  double a = begin[0], b = begin[1], d = begin[ROWS + PAD - first + 1];
#pragma unroll
  for (int j = 0; j < WIDE; j += 2) {
    if (first + j < most_columns) {
      const int one = first + j < ncol, both = first + j + 1 < ncol;
      const double det = fma(a, d, -b * b);
      good &= ((!one) | is_pivot(a)) & ((!both) | is_pivot(det));
      const double root_a = one ? reciprocal_sqrt(a) : 0.0;
      const double root = both ? root_a * reciprocal_sqrt(det) : 0.0;
      double x[OWNED], y[OWNED], next[OWNED], after[OWNED];
#pragma unroll
      for (int h = 0; h < OWNED; ++h) {
        __private double* const v = rows->of[h];
        x[h] = v[j] * root_a;
        y[h] = fma(a, v[j + 1], -b * v[j]) * root;
        v[j + 1] = both ? y[h] : fma(-x[h], b * root_a, v[j + 1]);
        v[j] = one ? x[h] : v[j];
        next[h] = j + 2 < WIDE ? v[(j + 2) % WIDE] : 0.0;
        after[h] = j + 2 < WIDE ? v[(j + 3) % WIDE] : 0.0;
      }
      if (j + 2 < WIDE) {
        __local double2* const set = shown + j / 2 % 2 * SHOWN_SET;
        if (place < WIDE) set[place] = pair_of_block(first, x, y);
        if (place / 2 == j / 2 + 1) set[WIDE + place % 2] = pair_of_block(first, next, after);
        warp_barrier();
        const double2 p = set[j + 2], q = set[j + 3], old_p = set[WIDE], old_q = set[WIDE + 1];
        a = fma(-p.y, p.y, fma(-p.x, p.x, old_p.x));
        b = fma(-q.y, p.y, fma(-q.x, p.x, old_q.x));
        d = fma(-q.y, q.y, fma(-q.x, q.x, old_q.y));
        // The bounds do not depend on j, so that this loop is unrolled before the loop over j.
#pragma unroll
        for (int block = 0; block < WIDE; block += STEP) {
          if (block + STEP > j + 2 && first + block < most_rows) {
#pragma unroll
            for (int c = block; c < block + STEP; ++c) {
              if (c >= j + 2) {
                const double2 other = set[c];
#pragma unroll
                for (int h = 0; h < OWNED; ++h) {
                  rows->of[h][c] = fma(-y[h], other.y, fma(-x[h], other.x, rows->of[h][c]));
                }
              }
            }
          }
        }
      }
    }
  }
  return good;
}

INLINE void load_rows(__private Rows* rows, __local const double* F, int first, int most_rows) {
#pragma unroll
  for (int c = 0; c < WIDE; ++c) {
    const int column = first + c;
#pragma unroll
    for (int h = 0; h < OWNED; ++h) {
      const int row = own_lane() + LANES * h;
      rows->of[h][c] = 0;
      if (column < most_rows && row >= column && row < ROWS) {
        rows->of[h][c] = F[column_begin(first + c / STEP * STEP) +
                           c % STEP * (ROWS + PAD - first - c / STEP * STEP) + row];
      }
    }
  }
}

// Stores L below the diagonal block in F, for update_fronts().
INLINE void keep_rows(__private const Rows* rows, __local double* F, int first) {
#pragma unroll
  for (int c = 0; c < WIDE; ++c) {
#pragma unroll
    for (int h = 0; h < OWNED; ++h) {
      const int row = own_lane() + LANES * h;
      if (row >= first + WIDE && row < ROWS) {
        F[column_begin(first + c / STEP * STEP) +
          c % STEP * (ROWS + PAD - first - c / STEP * STEP) + row] = rows->of[h][c];
      }
    }
  }
}

// Target of a column of a front: entry (i, column) is stored at to[i].
typedef struct Target {
  __global double* to;
  int column;
} Target;
INLINE Target target_begin(__private const Front* front, __global double* panel,
                           __global double* update) {
  Target target = {front->ncol > 0 ? panel : update, 0};
  return target;
}
INLINE Target target_next(Target target, __private const Front* front, __global double* update) {
  const int ncol = front->ncol, ld_update = (front->nrow - ncol + 7) / 8 * 8;
  ++target.column;
  target.to = target.column == ncol ? update - ncol
                                    : target.to + (target.column < ncol ? front->ldp : ld_update);
  return target;
}

// Rows [begin, end) of a column that are stored: from its diagonal to the last row, extended on
// both sides to a multiple of SECTOR rows of the panel or update matrix, within its storage.  When
// a sector is not written as a whole, the hardware must read the rest of the sector.
#define SECTOR 4
typedef struct StoredRows {
  int begin, end;
} StoredRows;
INLINE StoredRows stored_rows(__private const Front* front, int column) {
  const int nrow = front->nrow, ncol = front->ncol, in_panel = column < ncol;
  const int above = (column - (in_panel ? 0 : ncol)) & (SECTOR - 1);
  const int panel_end = min((nrow + SECTOR - 1) & -SECTOR, (int)front->ldp);
  const int update_end = ncol + ((nrow - ncol + SECTOR - 1) & -SECTOR);
  const StoredRows rows = {column - above,
                           in_panel ? panel_end : (column < nrow ? update_end : 0)};
  return rows;
}
// Stores an entry of a column, or zero above the diagonal.
INLINE void store_entry(__global double* to, int row, double value, int column, StoredRows rows) {
  if (row >= rows.begin && row < rows.end) to[row] = row >= column ? value : 0.0;
}

INLINE Target store_rows(__private const Rows* rows, __private const Front* front, Target target,
                         __global double* update) {
#pragma unroll
  for (int c = 0; c < WIDE; ++c) {
    const StoredRows stored = stored_rows(front, target.column);
#pragma unroll
    for (int h = 0; h < OWNED; ++h) {
      store_entry(target.to, own_lane() + LANES * h, rows->of[h][c], target.column, stored);
    }
    target = target_next(target, front, update);
  }
  return target;
}

// Stores the columns of F from target.column on.
INLINE void store_rest(__local const double* F, __private const Front* front, Target target,
                       __global double* update) {
#pragma unroll 4
  while (target.column < front->nrow) {
    __local const double* const from = F + column_begin(target.column);
    const StoredRows stored = stored_rows(front, target.column);
#pragma unroll
    for (int h = 0; h < OWNED; ++h) {
      const int row = own_lane() + LANES * h;
      const double value = row >= target.column && row < ROWS ? from[row] : 0.0;
      store_entry(target.to, row, value, target.column, stored);
    }
    target = target_next(target, front, update);
  }
}

// Updates the columns right of the block at `first`, in all fronts of the warp one after another,
// because tensor core instructions need whole warps.
INLINE void update_fronts(__local double* F, __private const Front* front, int first) {
#pragma unroll
  for (int q = 0; q < 32 / LANES; ++q) {
    const int nrow = LANES < 32 ? shuffle_int(front->nrow, q * LANES) : front->nrow;
    const int ncol = LANES < 32 ? shuffle_int(front->ncol, q * LANES) : front->ncol;
    update_blocks(F + (q - warp_lane() / LANES) * (ROOM + SHOWN), (first + WIDE) / STEP,
                  (nrow + STEP - 1) / STEP, nrow, first, min(first + WIDE, ncol));
  }
}

__kernel void small_front_rows(SMALL_FRONT_PARAMETERS) {
  LOCAL_ARRAY(double, room, FRONTS*(ROOM + SHOWN));
  const int own = (int)get_local_id(0) / LANES;
  __local double* const F = room + own * (ROOM + SHOWN);
  const Offset place = (Offset)get_group_id(0) * FRONTS + own;
  const bool present = place < num_listed;
  const Index f = AT(list)[present ? place : 0];
  Front front = AT(fronts)[f];
  if (!present) {
    front.nrow = front.ncol = front.child_end = front.child_begin = 0;
    front.entry_end = front.entry_begin;
  }
  const int most_rows = LARGEST(front.nrow), most_columns = LARGEST(front.ncol);

  __global const double* const scaling = scale ? AT(scale) : scale;
  clear_room(F, max(front.nrow, 2));
  FRONT_BARRIER();
  load_entries(F, &front, AT(entry_source), AT(entry_place), AT(values), scaling, AT(rowind));
  FRONT_BARRIER();
  add_children(F, &front, AT(children), AT(relind), AT(from_updates));

  Rows rows;
  PivotStatus failure = {-1, 0, 0};
  __global double* const update = AT(updates) + front.update;
  Target target = target_begin(&front, AT(panels) + front.panel, update);
#pragma unroll 1
  for (int first = 0; first < ROWS && first < most_columns; first += WIDE) {
    load_rows(&rows, F, first, most_rows);
    const int good = eliminate_block(&rows, F, (__local double2*)(F + ROOM), first, front.ncol,
                                     most_rows, most_columns);
    if (LARGEST(!good || failure.column >= 0)) {
      FRONT_BARRIER();
      eliminate_slowly(F, first, min(first + WIDE, front.ncol), min(first + WIDE, most_columns),
                       min(first + WIDE, front.nrow), &failure);
      if (!good || failure.column >= 0) load_rows(&rows, F, first, most_rows);
    }
    target = store_rows(&rows, &front, target, update);
#if ROWS > WIDE
    if (first + WIDE < ROWS) {
      keep_rows(&rows, F, first);
      FRONT_BARRIER();
      update_fronts(F, &front, first);
      FRONT_BARRIER();
    }
#endif
  }
  if (ROWS > WIDE) store_rest(F, &front, target, update);
  if (present && own_lane() == 0) AT(status)[f] = failure;
}
