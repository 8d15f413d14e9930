// For a symmetric matrix A whose lower triangle is stored: the residual of a system, row sums of A,
// and the maxima that error bounds are computed from.
//
//   residual        r := b - A x,   magnitude := |A| |x| + |b|
//   row_sums        result[i] := sum_j |A(i, j)| s[i] s[j],   s = scale; s = 1 without scale
//   error_maxima,   result := { max |r|, max |x|, max |b|, max_i |r[i]| / magnitude[i] };
//   finish_maxima   0/0 counts as 0; a quotient with an infinite magnitude counts as infinite
//
//   operand           shape                   storage                                     access
//   colptr, rowind    n + 1, nnz              lower triangle by columns                   read
//   values            nnz                                                                 read
//   rowptr, column,   n + 1, strictly lower   the strict lower triangle by rows; source   read
//   source            entries                 holds indices into values
//   x, b, scale       n                       scale may be null                           read
//   r, magnitude      n                                                                   written
//   partial           4 * work-groups         maxima of each work-group               written, read
//   result            n or 4                                                              written
//
// Row i of A consists of row i of the strict lower triangle and column i of the lower triangle.
// LANES work-items share a row: lane l adds up entries l, l + LANES, ... of both parts in order,
// then the sums of the lanes are added up as a tree.  Work-groups of GROUP work-items.  Local
// memory: residual 2 * GROUP values, row_sums GROUP, the maxima 4 * GROUP.  A maximum is NaN when
// an entry is NaN.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 128
#endif
#ifndef LANES
#define LANES 4  // Work-items that share a row: a power of two that divides GROUP.
#endif

#define MATRIX                                                                             \
  CONST_VIEW(Offset, colptr), CONST_VIEW(Index, rowind), CONST_VIEW(real, values),         \
      CONST_VIEW(Offset, rowptr), CONST_VIEW(Index, column), CONST_VIEW(uint, source)

// Calls ENTRY(j, a) for each of this work-item's entries a = A(i, j) of row i.
#define FOR_EACH_ENTRY(i, lane, ENTRY)                                                       \
  for (Offset p = AT(rowptr)[i] + lane; p < AT(rowptr)[(i) + 1]; p += LANES) {               \
    ENTRY(AT(column)[p], AT(values)[AT(source)[p]]);                                         \
  }                                                                                          \
  for (Offset p = AT(colptr)[i] + lane; p < AT(colptr)[(i) + 1]; p += LANES) {               \
    ENTRY(AT(rowind)[p], AT(values)[p]);                                                     \
  }

// sums[l] := the sum over the row's lanes, where work-item l is the first lane of its row.
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

// Returns the larger of two magnitudes, or the one that is NaN.
real larger(real a, real b) { return a > b || a != a ? a : b; }

// result[0..4) := the maxima of v[0..4) over the work-items of the work-group.
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

// Work-group g reduces entries [g * chunk, (g + 1) * chunk).
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
