// Small fronts in local memory: assembly of A's entries and of the children's update matrices, then
// partial factorization.
//
//   F := A's entries + sum over children, in order, of their updates through relative indices
//   L11 L11' = F11,   L21 := F21 L11^-T,   U := F22 - L21 L21'
//
//   operand        shape              storage                                  access
//   list           fronts             indices into `fronts`                    read
//   values, scale  nnz(A), n          lower triangle of A; diagonal of S       read; scale may be
//                                                                              null
//   from_updates   children's U       half storage (base/update_layout.hpp)    read
//   panels         nrow x ncol each   column-major, ld ldp; diagonal and       written
//                                     below
//   updates        nupd x nupd each   half storage, diagonal and below; may    written
//                                     be the buffer of from_updates, without
//                                     overlap with the children's
//   status         one per front      as `fronts`                              written
//
// A's entry e has the value values[entry_source[e]] and the position
// entry_place[e] = row + column * ldp in the panel.  Entries above a diagonal, in padding or past
// the last row are neither read nor written.
//
// The first pivot outside of [smallest normal number, largest number] fails: its column and value
// are written to `status`.  This column and all later columns of the panel become columns of the
// identity, so that later results stay finite.
//
// A work-group has FRONTS fronts, with ITEMS work-items each.  Local memory: FRONTS * LOWER values,
// the lower half of ROWS x ROWS entries in block columns of STEP columns.
//
// Right-looking in steps of STEP columns [DR83].  Every work-item factors the diagonal block for
// itself, in registers, which costs less than passing columns on; this redundant work is the only
// deviation from the textbook algorithm.  The work-item then solves for its rows and updates its
// tiles of TILE x TILE entries.
#include "fronts/fronts.cl"
#include "dense/pivot_status.h"

#ifndef ROWS
#define ROWS 32  // Rows of the largest front: a multiple of 8.
#endif
#ifndef ITEMS
#define ITEMS 32  // Work-items of a front.
#endif
#ifndef FRONTS
#define FRONTS 2  // Fronts of a work-group.
#endif
#define STEP 8
#define TILE 4  // Divides STEP.

#if REAL_IS_FP64
#define SMALLEST_PIVOT DBL_MIN
#define LARGEST_PIVOT DBL_MAX
#else
#define SMALLEST_PIVOT FLT_MIN
#define LARGEST_PIVOT FLT_MAX
#endif

// Position of block column b of F, and the number of entries of all ROWS / STEP block columns.
#define BLOCK_BEGIN(b) (STEP * ((b)*ROWS - STEP * ((b) * ((b)-1) / 2)))
#define LOWER BLOCK_BEGIN(ROWS / STEP)

// Returns the position p such that entry (i, j) of F, i >= j, lies at p + i.
int column_begin(int j) {
  const int b = j / STEP, first = b * STEP;
  return BLOCK_BEGIN(b) + (j - first) * (ROWS - first) - first;
}

// Entry (i, j) of a lower triangle of order n.  A walk goes through the triangle column by column;
// a work-item takes every ITEMS-th entry.
typedef struct Walk {
  int i, j;
} Walk;
Walk walk_to(Walk w, int n) {
  while (w.i >= n && w.j < n) {
    ++w.j;
    w.i += w.j - n;
  }
  return w;
}
Walk walk_begin(int item, int n) {
  Walk w = {item, 0};
  return walk_to(w, n);
}
Walk walk_on(Walk w, int n) {
  w.i += ITEMS;
  return walk_to(w, n);
}

// The diagonal block: L in its first `width` columns, the Schur complement in the others.
typedef struct Pivots {
  real l[STEP][STEP];
  real reciprocal[STEP];  // Reciprocals of L's diagonal; 0 from the first failed pivot on.
} Pivots;

// Eliminates the first `width` columns of the block from a row of a front.
// @param own  number of the row, counted from the block's first row; >= STEP below the block.
void eliminate_row(real* row, const Pivots* p, int width, int own) {
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
    if (k < width) {
      const bool good = p->reciprocal[k] > 0;
      row[k] = good ? row[k] * p->reciprocal[k] : (real)(own == k);
#pragma unroll
      for (int c = k + 1; c < STEP; ++c) {
        if (good) row[c] -= row[k] * p->l[c][k];
      }
    }
  }
}

// Factors the block whose lower triangle is p->l.  *status gets the front's first failed pivot.
void factor_block(Pivots* p, int width, int first, PivotStatus* status) {
#pragma unroll
  for (int k = 0; k < STEP; ++k) {
    p->reciprocal[k] = 0;
    if (k < width) {
      const real pivot = p->l[k][k];
      const bool in_range = pivot >= SMALLEST_PIVOT && pivot <= LARGEST_PIVOT;
      if (!in_range && status->column < 0) {
        status->column = first + k;
        status->value = pivot;
      }
      if (status->column < 0) {
        const real reciprocal = rsqrt(pivot);
        p->reciprocal[k] = reciprocal;
#pragma unroll
        for (int i = k + 1; i < STEP; ++i) p->l[i][k] *= reciprocal;
#pragma unroll
        for (int j = k + 1; j < STEP; ++j) {
#pragma unroll
          for (int i = j; i < STEP; ++i) p->l[i][j] -= p->l[i][k] * p->l[j][k];
        }
      }
    }
  }
}

// F := A's entries, and zeros elsewhere.
void load_entries(__local real* F, const Front* front, int item, CONST_VIEW(uint, entry_source),
                  CONST_VIEW(Index, entry_place), CONST_VIEW(real, values),
                  __global const real* scale, __global const Index* rowind) {
  for (int p = item; p < LOWER; p += ITEMS) F[p] = 0;
  LOCAL_BARRIER();
  const int ld = front->ldp;
  for (Offset e = front->entry_begin + item; e < front->entry_end; e += ITEMS) {
    const int place = AT(entry_place)[e], column = place / ld, row = place - column * ld;
    const real value = AT(values)[AT(entry_source)[e]];
    F[column_begin(column) + row] =
        scaled_entry(value, scale, scale ? rowind[front->rows + row] : 0,
                     front->first_column + column);
  }
  LOCAL_BARRIER();
}

// F += a child's update matrix.
void add_child(__local real* F, const Child* child, int item, __global const Index* relind,
               __global const real* update) {
  const int n = child->nupd;
  for (Walk w = walk_begin(item, n); w.j < n; w = walk_on(w, n)) {
    F[column_begin(relind[w.j]) + relind[w.i]] += update[update_column_offset(n, w.j) + w.i];
  }
}

// F(s.., s..) -= X X', where X is the rows from s on of the `width` columns that begin at column
// s - STEP.
void update_trailing(__local real* F, int s, int nrow, int width, int item) {
  const int tiles = (nrow - s + TILE - 1) / TILE;
  // Tile (p, q) of the lower half, row by row.
  for (int p = 0, q = item;; q += ITEMS) {
    while (q > p && p < tiles) q -= ++p;
    if (p >= tiles) break;
    __local real* to[TILE];
    real c[TILE][TILE];
    const int row = s + TILE * p, column = s + TILE * q;
#pragma unroll
    for (int j = 0; j < TILE; ++j) {
      to[j] = F + column_begin(column + j) + row;
#pragma unroll
      for (int i = 0; i < TILE; ++i) c[j][i] = to[j][i];
    }
    for (int k = s - STEP; k < s - STEP + width; ++k) {
      __local const real* x = F + column_begin(k);
      real a[TILE], b[TILE];
#pragma unroll
      for (int i = 0; i < TILE; ++i) {
        a[i] = x[row + i];
        b[i] = x[column + i];
      }
#pragma unroll
      for (int j = 0; j < TILE; ++j) {
#pragma unroll
        for (int i = 0; i < TILE; ++i) c[j][i] -= a[i] * b[j];
      }
    }
#pragma unroll
    for (int j = 0; j < TILE; ++j) {
#pragma unroll
      for (int i = 0; i < TILE; ++i) to[j][i] = c[j][i];
    }
  }
}

// One step of the factorization: pivot columns [s, s + width).
void step(__local real* F, int s, int nrow, int width, int item, PivotStatus* status) {
  Pivots pivots;
#pragma unroll
  for (int j = 0; j < STEP; ++j) {
#pragma unroll
    for (int i = j; i < STEP; ++i) pivots.l[i][j] = F[column_begin(s) + j * (ROWS - s) + s + i];
  }
  factor_block(&pivots, width, s, status);
  LOCAL_BARRIER();
  if (width > 0) {
    for (int i = s + item; i < nrow; i += ITEMS) {
      __local real* place = F + column_begin(s) + i;
      real row[STEP];
#pragma unroll
      for (int k = 0; k < STEP; ++k) row[k] = place[k * (ROWS - s)];
      eliminate_row(row, &pivots, width, i - s);
#pragma unroll
      for (int k = 0; k < STEP; ++k) place[k * (ROWS - s)] = row[k];
    }
  }
  LOCAL_BARRIER();
  if (width > 0) update_trailing(F, s + STEP, nrow, width, item);
  LOCAL_BARRIER();
}

void store_front(__local const real* F, const Front* front, int item, __global real* panel,
                 __global real* update) {
  const int n = front->nrow, ncol = front->ncol;
  for (Walk w = walk_begin(item, n); w.j < n; w = walk_on(w, n)) {
    const real value = F[column_begin(w.j) + w.i];
    if (w.j < ncol) {
      panel[w.j * front->ldp + w.i] = value;
    } else {
      update[update_column_offset(n - ncol, w.j - ncol) + w.i - ncol] = value;
    }
  }
}

__kernel WORK_GROUP(ITEMS* FRONTS) void small_front(
    Offset num_listed, CONST_VIEW(Index, list), CONST_VIEW(Front, fronts),
    CONST_VIEW(Child, children), CONST_VIEW(Index, relind), CONST_VIEW(Index, rowind),
    CONST_VIEW(uint, entry_source), CONST_VIEW(Index, entry_place), CONST_VIEW(real, values),
    CONST_VIEW(real, scale), CONST_VIEW(real, from_updates), VIEW(real, panels),
    VIEW(real, updates), VIEW(PivotStatus, status)) {
  __local real shared[FRONTS * LOWER];
  const int item = get_local_id(0) % ITEMS, own = get_local_id(0) / ITEMS;
  __local real* F = shared + own * LOWER;
  const Offset first = get_group_id(0) * FRONTS;
  // All fronts of the work-group must meet the same barriers, so loops run as often as the fronts
  // with most children and most columns need.
  int most_children = 0, most_columns = 0;
  for (int k = 0; k < FRONTS && first + k < num_listed; ++k) {
    __global const Front* other = AT(fronts) + AT(list)[first + k];
    most_children = max(most_children, other->child_end - other->child_begin);
    most_columns = max(most_columns, other->ncol);
  }
  const bool present = first + own < num_listed;
  const Index f = AT(list)[present ? first + own : first];
  Front front = AT(fronts)[f];
  if (!present) {
    front.nrow = front.ncol = front.child_end = front.child_begin = 0;
    front.entry_end = front.entry_begin;
  }

  __global const real* scaling = scale ? AT(scale) : 0;
  load_entries(F, &front, item, entry_source, entry_source_offset, entry_place, entry_place_offset,
               values, values_offset, scaling, AT(rowind));
  for (int c = 0; c < most_children; ++c) {
    if (front.child_begin + c < front.child_end) {
      const Child child = AT(children)[front.child_begin + c];
      add_child(F, &child, item, AT(relind) + child.relind, AT(from_updates) + child.update);
    }
    LOCAL_BARRIER();
  }
  PivotStatus failure = {-1, 0, 0};
  for (int s = 0; s < most_columns; s += STEP) {
    step(F, s, front.nrow, clamp(front.ncol - s, 0, STEP), item, &failure);
  }
  store_front(F, &front, item, AT(panels) + front.panel, AT(updates) + front.update);
  if (present && item == 0) AT(status)[f] = failure;
}
