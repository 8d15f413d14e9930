// The rule by which the CPU engine accepts a pivot.
#pragma once

#include <limits>

namespace clchol::numeric::dense {

/// Whether the pivot d is good, which means that 1 / d is positive and finite.  Bad pivots are
/// zero, negative numbers, NaN, infinity, and subnormal numbers whose reciprocal is infinite.  All
/// subnormal numbers are bad pivots while the processor flushes them to zero.
/// @param pivot  d, the value before the square root.
template <class T>
bool is_good_pivot(T pivot) {
  const T reciprocal = T{1} / pivot;
  return reciprocal > T{0} && reciprocal <= std::numeric_limits<T>::max();
}

}  // namespace clchol::numeric::dense
