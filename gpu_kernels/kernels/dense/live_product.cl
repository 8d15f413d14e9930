// Skips products whose operands depend on a failed pivot.
#include "dense/pivot_status.h"

// Returns p; with m = n = k = 0 when one of the first p.pivots pivots of its front has failed.
INLINE MatrixProduct live_product(MatrixProduct p, __global const PivotStatus* status) {
  // A launch that runs at the same time may write a failure, but of a pivot after the first
  // p.pivots.
  if (p.front >= 0 && (uint)status[p.front].column < (uint)p.pivots) {
    p.m = 0;
    p.n = 0;
    p.k = 0;
  }
  return p;
}
