// What the programs of this folder report of several times.
#pragma once

#include <algorithm>
#include <vector>

namespace clchol {

/// The middle one, of an even number the greater; of one value at least.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace clchol
