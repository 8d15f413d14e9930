// What kernels over fronts share.
#include "runtime/common.cl"
#include "fronts/front_args.h"
#include "dense/update_layout.cl"
#include "runtime/views.cl"

// A's value as it goes to entry (row, column) of a front: A itself, or D A D where `scale`, the
// diagonal of D in the factor's order, is given.  Powers of two: the products are exact.
INLINE real scaled_entry(real value, __global const real* scale, Index row, Index column) {
  return scale ? value * scale[row] * scale[column] : value;
}
