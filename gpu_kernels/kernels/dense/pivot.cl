// The pivot rule of all kernels: a pivot may be divided by when its reciprocal is positive and
// finite.  So zero, negative numbers, NaN and infinity fail, as on the CPU.
#include "runtime/common.cl"

INLINE bool is_good_pivot(real pivot) {
  const real reciprocal = 1 / pivot;
  return reciprocal > 0 && reciprocal < INFINITY;
}
