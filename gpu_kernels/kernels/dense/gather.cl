// Entries picked from a vector:
//
//   y[k] := x[places[k]]
//
//   operand   shape   storage            access
//   places    n       positions in x     read
//   x                                    read
//   y         n                          written; no overlap with x
//
// Work-groups of GROUP work-items, one entry each.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 128
#endif

__kernel WORK_GROUP(GROUP) void gather(Offset n, CONST_VIEW(Offset, places), CONST_VIEW(real, x),
                                       VIEW(real, y)) {
  const Offset k = (Offset)get_global_id(0);
  if (k < n) AT(y)[k] = AT(x)[AT(places)[k]];
}
