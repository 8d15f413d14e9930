// Residuals of a symmetric matrix of which the lower triangle is stored, and what errors need.
//
//   residual     r := b - A x,   magnitude := |A| |x| + |b|
//   row_sums     sums[i] := sum_j |A(i, j)| s[i] s[j],   s = 1 without scale
//   error_maxima result := { max |r|, max |x|, max |b|, max_i |r[i]| / magnitude[i] }, 0/0 = 0,
//                infinite where a magnitude is
//
//   operand           shape                   storage                                     access
//   colptr, rowind    n + 1, nnz              lower triangle by columns                   read
//   values            nnz
//   rowptr, column,   n + 1, strictly lower   the strict lower triangle by rows, source   read
//   source            entries                 being places in values
//   x, b, scale       n                       scale may be 0                              read
//   r, magnitude      n                                                                   written
//   partial           4 * groups                                                          written, read
//
// Row i of A is row i of the strict lower triangle, then column i of the lower one.  LANES
// work-items share a row: lane l adds up entries l, l + LANES, ... of both parts in order, then the
// lanes' sums are added up as a tree.  Work-groups of GROUP work-items, local memory 2 * GROUP
// values (error_maxima: 4 * GROUP).  A maximum is NaN when an entry is.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 128
#endif
#ifndef LANES
#define LANES 4  // Work-items of a row: a power of two that divides GROUP.
#endif

#define MATRIX                                                                             \
  CONST_VIEW(Offset, colptr), CONST_VIEW(Index, rowind), CONST_VIEW(real, values),         \
      CONST_VIEW(Offset, rowptr), CONST_VIEW(Index, column), CONST_VIEW(uint, source)

// ENTRY(j, a) for this work-item's entries a = A(i, j) of row i.
#define FOR_EACH_ENTRY(i, lane, ENTRY)                                                       \
  for (Offset p = AT(rowptr)[i] + lane; p < AT(rowptr)[(i) + 1]; p += LANES) {               \
    ENTRY(AT(column)[p], AT(values)[AT(source)[p]]);                                         \
  }                                                                                          \
  for (Offset p = AT(colptr)[i] + lane; p < AT(colptr)[(i) + 1]; p += LANES) {               \
    ENTRY(AT(rowind)[p], AT(values)[p]);                                                     \
  }

// sums[l] of the first lane of each row := the sum over its lanes.
void add_lanes(__local real* sums, int l) {
  for (int s = LANES / 2; s > 0; s /= 2) {
    LOCAL_BARRIER();
    if (l % LANES < s) sums[l] += sums[l + s];
  }
}

__kernel WORK_GROUP(GROUP) void residual(Index n, MATRIX, CONST_VIEW(real, b), CONST_VIEW(real, x),
                                         VIEW(real, r), VIEW(real, magnitude)) {
  __local real sums[GROUP], sizes[GROUP];
  const int l = get_local_id(0), lane = l % LANES;
  const Offset i = (Offset)get_group_id(0) * (GROUP / LANES) + l / LANES;
  real sum = 0, size = 0;
  if (i < n) {
#define ADD_ENTRY(j, a)                \
  const real term = (a)*AT(x)[j];      \
  sum += term;                         \
  size += fabs(term)
    FOR_EACH_ENTRY(i, lane, ADD_ENTRY)
#undef ADD_ENTRY
  }
  sums[l] = sum;
  sizes[l] = size;
  add_lanes(sums, l);
  add_lanes(sizes, l);
  if (i < n && lane == 0) {
    AT(r)[i] = AT(b)[i] - sums[l];
    AT(magnitude)[i] = fabs(AT(b)[i]) + sizes[l];
  }
}

__kernel WORK_GROUP(GROUP) void row_sums(Index n, MATRIX, CONST_VIEW(real, scale),
                                         VIEW(real, result)) {
  __local real sums[GROUP];
  const int l = get_local_id(0), lane = l % LANES;
  const Offset i = (Offset)get_group_id(0) * (GROUP / LANES) + l / LANES;
  real sum = 0;
  if (i < n) {
#define ADD_ENTRY(j, a) sum += scale ? fabs(a) * AT(scale)[i] * AT(scale)[j] : fabs(a)
    FOR_EACH_ENTRY(i, lane, ADD_ENTRY)
#undef ADD_ENTRY
  }
  sums[l] = sum;
  add_lanes(sums, l);
  if (i < n && lane == 0) AT(result)[i] = sums[l];
}

// Of two magnitudes: the larger, or the one that is NaN.
real larger(real a, real b) { return a > b || a != a ? a : b; }

// result[0..4) := the maxima over the group's work-items of v[0..4).
void group_maxima(const real* v, __local real* shared, __global real* result) {
  const int l = get_local_id(0);
  for (int k = 0; k < 4; ++k) shared[k * GROUP + l] = v[k];
  for (int s = GROUP / 2; s > 0; s /= 2) {
    LOCAL_BARRIER();
    for (int k = 0; k < 4; ++k) {
      __local real* at = shared + k * GROUP + l;
      if (l < s) *at = larger(*at, at[s]);
    }
  }
  LOCAL_BARRIER();
  if (l < 4) result[l] = shared[l * GROUP];
}

// Group g takes entries [g * chunk, (g + 1) * chunk).
__kernel WORK_GROUP(GROUP) void error_maxima(Offset n, Offset chunk, CONST_VIEW(real, r),
                                             CONST_VIEW(real, x), CONST_VIEW(real, b),
                                             CONST_VIEW(real, magnitude),
                                             __global real* partial) {
  __local real shared[4 * GROUP];
  const Offset begin = chunk * (Offset)get_group_id(0), end = min(begin + chunk, n);
  real v[4] = {0, 0, 0, 0};
  for (Offset i = begin + get_local_id(0); i < end; i += GROUP) {
    const real size = fabs(AT(r)[i]);
    v[0] = larger(size, v[0]);
    v[1] = larger(fabs(AT(x)[i]), v[1]);
    v[2] = larger(fabs(AT(b)[i]), v[2]);
    const real whole = AT(magnitude)[i];
    v[3] = larger(isinf(whole) ? whole : size == 0 ? 0 : size / whole, v[3]);
  }
  group_maxima(v, shared, partial + 4 * get_group_id(0));
}

__kernel WORK_GROUP(GROUP) void finish_maxima(Offset groups, __global const real* partial,
                                              VIEW(real, result)) {
  __local real shared[4 * GROUP];
  real v[4] = {0, 0, 0, 0};
  for (Offset g = get_local_id(0); g < groups; g += GROUP) {
    for (int k = 0; k < 4; ++k) v[k] = larger(partial[4 * g + k], v[k]);
  }
  group_maxima(v, shared, AT(result));
}
