// Small fronts of at most 32 rows, a row in the registers of each lane: the same as small_front.cl,
// for devices with warps.
//
// Operands, failing pivots and what is not touched: as there.  Leading dimensions of panels are
// below 4096.  Doubles alone.
//
// Two columns at a time, so that two roots are taken side by side:
//
//   [a b; b d] = L L',  det = a d - b^2:  1/l11 = a^-1/2,  1/l22 = a (a^-1/2 det^-1/2)
//
// A lane scales its own row, shows its two entries of L to the others through local memory, and
// subtracts what they give in its row; the next pivots are found by every lane, ahead of the rest.
// F stays in local memory as it was assembled, for the rare front that a pivot fails in.
//
// Local memory: FRONTS * (ROOM + SHOWN) values; about 60 + 2 * ROWS registers.
#include "small_front_room.cl"

#if ROWS > 32
#error "a front of more rows than a warp has lanes"
#endif
// Two sets of what lanes show, because nobody waits for the readers: their two entries, then the
// next two rows' entries of the next two columns.
#define SHOWN_SET (ROWS + 2)
#define SHOWN (2 * 2 * SHOWN_SET)

// Eliminates ncol columns from the lane's row of F.  nrow, ncol: the largest of the warp's fronts
// are most_rows, most_columns.  Returns zero when a pivot or determinant is out of range; v is void
// then.
INLINE int eliminate_row(__private double* v, __local const double* F, __local double2* shown,
                         int ncol, int most_rows, int most_columns) {
  const int lane = own_lane();
  int good = 1;
  double a = F[0], b = F[1], d = F[column_begin(1) + 1];
#pragma unroll
  for (int j = 0; j < ROWS; j += 2) {
    if (j < most_columns) {
      const int first = j < ncol, second = j + 1 < ncol;
      const double det = fma(a, d, -b * b);
      good &= ((!first) | is_pivot(a)) & ((!second) | is_pivot(det));
      const double root_a = first ? reciprocal_sqrt(a) : 0.0;
      const double root = second ? root_a * reciprocal_sqrt(det) : 0.0;
      const double x = v[j] * root_a, y = fma(a, v[j + 1], -b * v[j]) * root;
      v[j + 1] = second ? y : fma(-x, b * root_a, v[j + 1]);
      v[j] = first ? x : v[j];
      if (j + 2 < ROWS) {
        __local double2* const set = shown + j / 2 % 2 * SHOWN_SET;
        set[lane] = pair(x, y);
        if (lane / 2 == j / 2 + 1) set[ROWS + lane % 2] = pair(v[j + 2], v[j + 3]);
        warp_barrier();
        const double2 p = set[j + 2], q = set[j + 3], old_p = set[ROWS], old_q = set[ROWS + 1];
        a = fma(-p.y, p.y, fma(-p.x, p.x, old_p.x));
        b = fma(-q.y, p.y, fma(-q.x, p.x, old_q.x));
        d = fma(-q.y, q.y, fma(-q.x, q.x, old_q.y));
#pragma unroll
        for (int block = (j + 2) / STEP; block < ROWS / STEP; ++block) {
          if (STEP * block < most_rows) {
#pragma unroll
            for (int c = STEP * block; c < STEP * block + STEP; ++c) {
              if (c >= j + 2) {
                const double2 other = set[c];
                v[c] = fma(-y, other.y, fma(-x, other.x, v[c]));
              }
            }
          }
        }
      }
    }
  }
  return good;
}

INLINE void load_row(__private double* v, __local const double* F, int most_rows) {
  const int lane = own_lane();
#pragma unroll
  for (int c = 0; c < ROWS; ++c) {
    v[c] = 0;
    if (c < most_rows && lane >= c) v[c] = F[column_begin(c) + lane];
  }
}

INLINE void store_row(__private const double* v, __private const Front* front, int most_rows,
                      __global double* panel, __global double* update) {
  const int lane = own_lane(), ncol = front->ncol;
  const int ld_update = (front->nrow - ncol + 7) / 8 * 8;
  const bool exists = lane < front->nrow;
  __global double* to = panel + lane;
#pragma unroll
  for (int c = 0; c < ROWS; ++c) {
    if (exists && c < most_rows && lane >= c) *to = v[c];
    to = c + 1 == ncol ? update + lane - ncol : to + (c < ncol ? front->ldp : ld_update);
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

  double v[ROWS];
  PivotStatus failure = {-1, 0, 0};
  load_row(v, F, most_rows);
  const int good =
      eliminate_row(v, F, (__local double2*)(F + ROOM), front.ncol, most_rows, most_columns);
  if (LARGEST(!good)) {
    FRONT_BARRIER();
    eliminate_slowly(F, 0, front.ncol, most_columns, front.nrow, &failure);
    if (!good) load_row(v, F, most_rows);
  }
  store_row(v, &front, most_rows, AT(panels) + front.panel, AT(updates) + front.update);
  if (present && own_lane() == 0) AT(status)[f] = failure;
}
