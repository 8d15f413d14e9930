// Places of an axis' ticks: multiples of 1, 2 or 5 times a power of ten.
#pragma once

#include <string>
#include <vector>

namespace clchol::cli {

struct Ticks {
  double step = 1;             // 1, 2 or 5 times a power of ten.
  std::vector<double> values;  // The step's multiples in [0, most], ascending.

  /// With as many decimals as the step has.
  std::string label(double value) const;
};

/// The smallest step that gives at most `intervals` intervals in [0, most].
/// @param most       0 and infinite ones give the tick 0 alone.
/// @param intervals  at least 1.
/// @param least      no smaller step: 1 where values are whole.
Ticks nice_ticks(double most, int intervals, double least = 0);

}  // namespace clchol::cli
