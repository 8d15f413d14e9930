// A small front F in local memory: its layout, assembly, and the elimination after a failed pivot.
// small_front_rows.cl and small_front_tiles.cl include this file.
//
//   F := A's entries + sum over children, in order, of their updates through relative indices
//
// LANES work-items work on a front: a part of a warp, a warp, or a few warps.  The including file
// defines LANES.  A work-group has FRONTS fronts, which have no common barriers, so that latencies
// of a front are hidden by work on others.
//
// F, the lower half of ROWS x ROWS entries, is stored in block columns of STEP columns,
// column-major.  Columns have PAD rows more, so that the columns that a fragment of tensor cores
// reads begin in different banks.
#include "fronts/fronts.cl"
#include "runtime/nvidia_ptx.cl"
#include "dense/pivot_status.h"

#ifndef FRONTS
#define FRONTS 4  // Fronts of a work-group.
#endif
#ifndef PARTS
#define PARTS 8  // Columns of a child that a warp loads at once, while it adds PARTS others.
#endif
#define WIDTH (LANES < 32 ? LANES : 32)  // Rows of a column that a warp processes at once.
#define WARPS (LANES / WIDTH)
#define STEP 8
#define PAD (ROWS > 16 ? 4 : 0)

// Position of block column b, and the number of values of all block columns.
#define BLOCK_BEGIN(b) (STEP * ((b) * (ROWS + PAD) - STEP * ((b) * ((b)-1) / 2)))
#define ROOM BLOCK_BEGIN(ROWS / STEP)

// Barrier of all work-items of a front.  Where a front has a part of a warp, it is a barrier of the
// whole warp; then all fronts of a warp must run loops with barriers equally often.  RARE_BARRIER
// is a barrier of the warps that have rows from `first` on only.
#if LANES > 32
#define FRONT_BARRIER() named_barrier(1 + (int)get_local_id(0) / LANES, LANES)
#define RARE_BARRIER(first) \
  named_barrier(1 + FRONTS + (int)get_local_id(0) / LANES, LANES - (first) / 32 * 32)
#else
#define FRONT_BARRIER() warp_barrier()
#define RARE_BARRIER(first) warp_barrier()
#endif
// Largest x among the fronts that share barriers.
#if LANES < 32
#define LARGEST(x) (-warp_min(-(x)))
#else
#define LARGEST(x) (x)
#endif

// Returns whether x is positive, normal and finite, by its sign and exponent.  Integer operations
// are used because here they need not wait.
INLINE int is_pivot(double x) { return high_word(x) - 0x00100000u < 0x7fe00000u; }

INLINE int own_item(void) { return (int)get_local_id(0) % LANES; }
INLINE int own_lane(void) { return (int)get_local_id(0) % WIDTH; }
INLINE int warp_lane(void) { return (int)get_local_id(0) % 32; }
INLINE int own_warp(void) { return own_item() / WIDTH; }

// Returns the position p such that entry (i, j) of F, i >= j, lies at p + i.
INLINE int column_begin(int j) {
  const int b = j / STEP, first = b * STEP;
  return BLOCK_BEGIN(b) + (j - first) * (ROWS + PAD - first) - first;
}

// Returns update_column_offset() in 32 bits, for an update matrix of at most ROWS rows.
// @param padded  order of the update matrix, rounded up to a multiple of 8.
INLINE int update_column(int padded, int j) {
  const int b = j / UPDATE_BLOCK, first = b * UPDATE_BLOCK;
  return UPDATE_BLOCK * (b * padded - UPDATE_BLOCK * (b * (b - 1) / 2)) +
         (j - first) * (padded - first) - first;
}

// Parameters of small_front_rows and small_front_tiles; small_front.cl describes the operands.
#define SMALL_FRONT_PARAMETERS                                                                    \
  Offset num_listed, CONST_VIEW(Index, list), CONST_VIEW(Front, fronts),                          \
      CONST_VIEW(Child, children), CONST_VIEW(Index, relind), CONST_VIEW(Index, rowind),          \
      CONST_VIEW(uint, entry_source), CONST_VIEW(Index, entry_place), CONST_VIEW(double, values), \
      CONST_VIEW(double, scale), CONST_VIEW(double, from_updates), VIEW(double, panels),          \
      VIEW(double, updates), VIEW(PivotStatus, status)

// ---- A's entries
// F := 0 in all block columns of a front of nrow rows.
INLINE void clear_room(__local double* F, int nrow) {
  const int end = BLOCK_BEGIN((nrow + STEP - 1) / STEP);
  for (int p = 2 * own_item(); p < end; p += 2 * LANES) *(__local double2*)(F + p) = pair(0.0, 0.0);
}

// Stores A's entries in F.  A work-item has four loads of entries in flight at once.
#define ENTRIES 4
INLINE void load_entries(__local double* F, __private const Front* front,
                         __global const uint* entry_source, __global const Index* entry_place,
                         __global const double* values, __global const double* scale,
                         __global const Index* rowind) {
  // Computes entry_place / ldp by a multiplication, which is exact for places below 2^32 / ldp.
  const uint ld = (uint)front->ldp, reciprocal = 0xffffffffu / ld + 1;
  const int count = (int)(front->entry_end - front->entry_begin);
  __global const uint* const source = entry_source + front->entry_begin;
  __global const Index* const place = entry_place + front->entry_begin;
#pragma unroll 1
  for (int first = own_item(); first < count; first += ENTRIES * LANES) {
    double value[ENTRIES];
    uint at[ENTRIES];
#pragma unroll
    for (int q = 0; q < ENTRIES; ++q) {
      const int e = first + q * LANES;
      at[q] = e < count ? (uint)place[e] : 0;
      value[q] = e < count ? values[source[e]] : 0.0;
    }
#pragma unroll
    for (int q = 0; q < ENTRIES; ++q) {
      const int column = ld > 1 ? (int)mul_hi(at[q], reciprocal) : 0;
      const int row = (int)at[q] - column * (int)ld;
      if (first + q * LANES < count) {
        F[column_begin(column) + row] = scaled_entry(
            value[q], scale, scale ? rowind[front->rows + row] : 0, front->first_column + column);
      }
    }
  }
}

// ---- Children
// The work-item's share of a child's entries in some columns, and their positions in the front, as
// loaded: arithmetic with a value would wait for its load before the next load is issued.
typedef struct Parts {
  double value[PARTS];
  Index row[PARTS], column[PARTS];  // Row and column in the front.
  int left;                         // Entry q exists if WARPS * q < left.
} Parts;

// Loads the entries in the columns column + own_warp() + WARPS * q, q < PARTS, that are WIDTH * hop
// to WIDTH * hop + WIDTH - 1 rows below the diagonal.  Instead of entries that do not exist, it
// loads entries of the child's last row.
INLINE void load_parts(__private Parts* parts, const Child child, int hop, int column,
                       __global const Index* relind, __global const double* updates) {
  __global const Index* const rows = relind + child.relind;
  __global const double* const from = updates + child.update;
  const int padded = (child.nupd + 7) / 8 * 8, last = child.nupd - 1;
  const int first = column + own_warp(), below = WIDTH * hop + own_lane();
  parts->left = child.nupd - (first + below);
  if (child.nupd > 0) {
#pragma unroll
    for (int q = 0; q < PARTS; ++q) {
      const int j = min(first + WARPS * q, last), i = min(first + WARPS * q + below, last);
      parts->value[q] = from[update_column(padded, j) + i];
      parts->row[q] = rows[i];
      parts->column[q] = rows[j];
    }
  }
}

// Adds loaded entries to F.  They belong to one child, so all their positions differ.
INLINE void add_parts(__local double* F, __private const Parts* parts) {
  double sum[PARTS];
  int place[PARTS];
#pragma unroll
  for (int q = 0; q < PARTS; ++q) {
    place[q] = column_begin(parts->column[q]) + parts->row[q];
    if (WARPS * q < parts->left) sum[q] = parts->value[q] + F[place[q]];
  }
#pragma unroll
  for (int q = 0; q < PARTS; ++q) {
    if (WARPS * q < parts->left) F[place[q]] = sum[q];
  }
}

// F += the children's updates, child after child.  While parts are added, the next parts and the
// description of the next child are loaded.
INLINE void add_children(__local double* F, __private const Front* front,
                         __global const Child* children, __global const Index* relind,
                         __global const double* updates) {
  const Child none = {0, 0, 0, 0, 0};
  int c = front->child_begin, hop = 0, column = 0;
  const int end = front->child_end;
  Child child = c < end ? children[c] : none, next = c + 1 < end ? children[c + 1] : none;
  Parts parts;
  load_parts(&parts, child, 0, 0, relind, updates);
  int more = c < end;
#pragma unroll 1
  while (LARGEST(more)) {
    column += PARTS * WARPS;
    if (column + WIDTH * hop >= child.nupd) {
      column = 0;
      ++hop;
      if (WIDTH * hop >= child.nupd) {
        hop = 0;
        ++c;
        child = next;
        next = c + 1 < end ? children[c + 1] : none;
      }
    }
    more = c < end;
    Parts ahead;
    load_parts(&ahead, child, hop, column, relind, updates);
    add_parts(F, &parts);
    FRONT_BARRIER();
    parts = ahead;
  }
}

// ---- Failing pivots
// Eliminates columns [first, end) from columns up to `last`, one at a time and in local memory: the
// path of fronts in which a pivot, or a product of two pivots, is out of range.  Columns from the
// first failed pivot on become columns of the identity.
// @param most  the largest `end` among the fronts that share barriers.
INLINE void eliminate_slowly(__local double* F, int first, int end, int most, int last,
                             __private PivotStatus* failure) {
#pragma unroll 1
  for (int k = first; k < most; ++k) {
    __local double* const x = F + column_begin(k);
    const double pivot = x[k];
    const bool live = k < end, good = live && failure->column < 0 && is_pivot(pivot);
    if (live && failure->column < 0 && !good) {
      failure->column = k;
      failure->value = pivot;
    }
    const double reciprocal = good ? reciprocal_sqrt(pivot) : 0.0;
    RARE_BARRIER(first);
#pragma unroll 1
    for (int row = own_item(); row < ROWS; row += LANES) {
      if (live && row >= k) x[row] = good ? x[row] * reciprocal : (double)(row == k);
    }
    RARE_BARRIER(first);
#pragma unroll 1
    for (int row = own_item(); good && row < ROWS; row += LANES) {
#pragma unroll 1
      for (int c = k + 1; c < last && c <= row; ++c) F[column_begin(c) + row] -= x[row] * x[c];
    }
    RARE_BARRIER(first);
  }
}
