// The pivot rule of the CPU engine, in one place.
#pragma once

#include <limits>

namespace clchol::numeric::dense {

/// Whether a pivot may be divided by: its reciprocal is positive and finite.  So zero, negative
/// numbers, NaN and infinity fail, and subnormal numbers too small to have a reciprocal, or all of
/// them while they are flushed.
template <class T>
bool is_good_pivot(T pivot) {
  const T reciprocal = T{1} / pivot;
  return reciprocal > T{0} && reciprocal <= std::numeric_limits<T>::max();
}

}  // namespace clchol::numeric::dense
