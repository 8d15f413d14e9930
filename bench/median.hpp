// The median that the programs of this folder report of repeated measurements.
#pragma once

#include <algorithm>
#include <vector>

namespace clchol {

/// The median of at least one value; of an even number of values the greater middle value.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace clchol
