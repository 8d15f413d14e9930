// The test by which the CPU engine accepts or rejects a pivot of the Cholesky factorization.
#pragma once

#include <limits>

namespace clchol::numeric::dense {

/// @return whether the pivot d is good, which means that 1 / d as computed is positive and finite.
///         Bad pivots are zero, negative numbers, NaN, infinity, and subnormal numbers whose
///         reciprocal is infinite.  While the processor flushes subnormal numbers to zero, all
///         subnormal pivots are bad, and so are huge pivots, whose reciprocal is subnormal.
/// @param pivot  d, the value before the square root is taken.
template <class T>
bool is_good_pivot(T pivot) {
  const T reciprocal = T{1} / pivot;
  return reciprocal > T{0} && reciprocal <= std::numeric_limits<T>::max();
}

}  // namespace clchol::numeric::dense
