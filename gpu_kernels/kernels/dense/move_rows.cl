// Copies some rows of X to or from a compact array Y of rows:
//
//   gather_rows    y(k, r) := x(rows[k], r)
//   scatter_rows   x(rows[k], r) := y(k, r)
//
//   operand   shape      storage                        access
//   rows      n          row numbers in x, distinct     read
//   x         nrhs wide  row-major, ld nrhs             read (gather), written (scatter)
//   y         n x nrhs   row-major, ld nrhs             written (gather), read (scatter)
//
// Work-groups of GROUP work-items; a work-item copies one entry, in the order of y.  No local
// memory.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 128
#endif

// Returns the position in x of entry e of y.
INLINE Offset place_in_x(Offset e, Index nrhs, __global const Index* rows) {
  return (Offset)rows[e / nrhs] * nrhs + e % nrhs;
}

__kernel WORK_GROUP(GROUP) void gather_rows(Offset n, Index nrhs, CONST_VIEW(Index, rows),
                                            CONST_VIEW(real, x), VIEW(real, y)) {
  const Offset e = (Offset)get_global_id(0);
  if (e < n * nrhs) AT(y)[e] = AT(x)[place_in_x(e, nrhs, AT(rows))];
}

__kernel WORK_GROUP(GROUP) void scatter_rows(Offset n, Index nrhs, CONST_VIEW(Index, rows),
                                             CONST_VIEW(real, y), VIEW(real, x)) {
  const Offset e = (Offset)get_global_id(0);
  if (e < n * nrhs) AT(x)[place_in_x(e, nrhs, AT(rows))] = AT(y)[e];
}
