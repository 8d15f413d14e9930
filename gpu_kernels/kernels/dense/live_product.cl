#include "dense/pivot_status.h"

// The product; without rows, columns and depth where its front has failed before.
INLINE MatrixProduct live_product(MatrixProduct p, __global const PivotStatus* status) {
  // A pivot that fails just now, in a launch beside this one, is none of the first p.pivots.
  if (p.front >= 0 && (uint)status[p.front].column < (uint)p.pivots) {
    p.m = 0;
    p.n = 0;
    p.k = 0;
  }
  return p;
}
