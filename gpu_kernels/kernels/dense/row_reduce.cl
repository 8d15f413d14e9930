// Weighted row reduction over two dense matrices:
//
//   r[i] := s * sum_k v[k] A(i, k) B(i, k)
//
//   operand   shape   storage                                               access
//   A, B      m x k   column-major (row_reduce_columns) or row-major        read; B may be A
//                     (row_reduce_rows), ld lda, ldb
//   v         k                                                             read
//   r         m                                                             written
//
// A work-group of GROUP work-items computes GROUP / LANES rows; LANES work-items share a row.  Lane
// l adds up columns l, l + LANES, ...; then the sums of the lanes are added up in order.
// Neighbouring work-items read neighbouring entries: rows of column-major matrices, columns of
// row-major matrices.  Local memory: GROUP values.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 256
#endif
#ifndef LANES
#define LANES 8  // Divides GROUP.
#endif
#define GROUP_ROWS (GROUP / LANES)

// The body of both kernels.  Entry (i, k) of a matrix lies at offset PLACE(i, k, ld).
#define ROW_REDUCE(row, lane, PLACE)                                                          \
  __local real sums[LANES][GROUP_ROWS];                                                       \
  const Offset i = (Offset)get_group_id(0) * GROUP_ROWS + (row);                              \
  real sum = 0;                                                                               \
  for (Offset k = lane; k < num_columns && i < m; k += LANES) {                               \
    sum += AT(v)[k] * AT(A)[PLACE(i, k, lda)] * AT(B)[PLACE(i, k, ldb)];                      \
  }                                                                                           \
  sums[lane][row] = sum;                                                                      \
  LOCAL_BARRIER();                                                                            \
  if (lane == 0 && i < m) {                                                                   \
    for (int l = 1; l < LANES; ++l) sum += sums[l][row];                                      \
    AT(r)[i] = s * sum;                                                                       \
  }
#define BY_COLUMNS(i, k, ld) ((i) + (k) * (ld))
#define BY_ROWS(i, k, ld) ((i) * (ld) + (k))

__kernel WORK_GROUP(GROUP) void row_reduce_columns(Offset m, Offset num_columns, real s,
                                                   CONST_VIEW(real, v), CONST_VIEW(real, A),
                                                   Offset lda, CONST_VIEW(real, B), Offset ldb,
                                                   VIEW(real, r)) {
  const int row = get_local_id(0) % GROUP_ROWS, lane = get_local_id(0) / GROUP_ROWS;
  ROW_REDUCE(row, lane, BY_COLUMNS)
}

__kernel WORK_GROUP(GROUP) void row_reduce_rows(Offset m, Offset num_columns, real s,
                                                CONST_VIEW(real, v), CONST_VIEW(real, A),
                                                Offset lda, CONST_VIEW(real, B), Offset ldb,
                                                VIEW(real, r)) {
  const int row = get_local_id(0) / LANES, lane = get_local_id(0) % LANES;
  ROW_REDUCE(row, lane, BY_ROWS)
}
