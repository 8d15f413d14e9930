// Includes and functions that the kernels over fronts share.
#include "runtime/common.cl"
#include "fronts/front_args.h"
#include "dense/update_layout.cl"
#include "runtime/views.cl"

// Returns the value of A's entry (row, column) that is added to a front: A's value, or that of
// D A D if `scale`, the diagonal of D in the factor's order, is not null.  The entries of D are
// powers of two, so the products are exact.
INLINE real scaled_entry(real value, __global const real* scale, Index row, Index column) {
  return scale ? value * scale[row] * scale[column] : value;
}
