// Adds a multiple of a vector to another vector:
//
//   y := y + a x
//
//   operand   shape   access
//   x         n       read
//   y         n       read and written; no overlap with x
//
// Work-groups of GROUP work-items; a work-item computes one entry.  No local memory.
#include "runtime/common.cl"
#include "runtime/views.cl"

#ifndef GROUP
#define GROUP 128
#endif

__kernel WORK_GROUP(GROUP) void axpy(Offset n, real a, CONST_VIEW(real, x), VIEW(real, y)) {
  const Offset k = (Offset)get_global_id(0);
  if (k < n) AT(y)[k] += a * AT(x)[k];
}
