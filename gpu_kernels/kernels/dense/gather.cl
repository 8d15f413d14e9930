// Gathers entries of a vector:
//
//   y[k] := x[places[k]]
//
//   operand   shape   storage            access
//   places    n       indices into x     read
//   x                                    read
//   y         n                          written; no overlap with x
//
// Work-groups of GROUP work-items; a work-item copies one entry.  No local memory.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 128
#endif

__kernel WORK_GROUP(GROUP) void gather(Offset n, CONST_VIEW(Offset, places), CONST_VIEW(real, x),
                                       VIEW(real, y)) {
  const Offset k = (Offset)get_group_id(0) * GROUP + get_local_id(0);
  if (k < n) AT(y)[k] = AT(x)[AT(places)[k]];
}
