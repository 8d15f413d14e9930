// Positions of the ticks of an axis: multiples of 1, 2 or 5 times a power of ten.
#pragma once

#include <string>
#include <vector>

namespace clchol::cli {

struct Ticks {
  double step = 1;             // Distance of ticks: 1, 2 or 5 times a power of ten.
  std::vector<double> values;  // Multiples of the step in [0, most], ascending.

  /// @return `value` with the number of decimals of the step.
  std::string label(double value) const;
};

/// @return ticks with the smallest step that gives at most `intervals` intervals in [0, most].
/// @param most       end of the axis.  If it is not positive or not finite, the only tick is 0.
/// @param intervals  at least 1.
/// @param least      lower bound of the step: 1 for whole numbers.
Ticks nice_ticks(double most, int intervals, double least = 0);

}  // namespace clchol::cli
