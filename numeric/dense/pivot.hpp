// The pivot rule of the CPU engine.
#pragma once

#include <limits>

namespace clchol::numeric::dense {

/// Whether a pivot is good: its reciprocal is positive and finite.  Zero, negative numbers, NaN and
/// infinity are bad pivots.  So are subnormal numbers too small to have a finite reciprocal, and
/// all subnormal numbers while the processor flushes them.
template <class T>
bool is_good_pivot(T pivot) {
  const T reciprocal = T{1} / pivot;
  return reciprocal > T{0} && reciprocal <= std::numeric_limits<T>::max();
}

}  // namespace clchol::numeric::dense
