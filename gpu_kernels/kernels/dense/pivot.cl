// The pivot test of the dense panel kernel:
//
//   a pivot is good when its reciprocal is positive and finite
//
// Zero, negative numbers, NaN and infinity fail, as on the CPU.
#include "runtime/common.cl"

INLINE bool is_good_pivot(real pivot) {
  const real reciprocal = 1 / pivot;
  return reciprocal > 0 && reciprocal < INFINITY;
}
