// Positions of the ticks of an axis that begins at 0: the multiples of a step, which is 1, 2 or 5
// times a power of ten.
#pragma once

#include <string>
#include <vector>

namespace clchol::cli {

/// The ticks of an axis from 0 to `most` (see nice_ticks()).
struct Ticks {
  double step = 1;             // Distance of two ticks: 1, 2 or 5 times a power of ten.
  std::vector<double> values;  // Positions of the ticks: 0, step, 2 step, ..., at most `most`.

  /// @return `value` as text, with as many decimals as the step has.
  std::string label(double value) const;
};

/// @return the ticks with the smallest step that divides the axis into at most `intervals` whole
///         steps.
/// @param most       end of the axis.  If `most` is not positive or not finite, the only tick is 0.
/// @param intervals  greatest number of steps, at least 1.
/// @param least      lower bound of the step.  1: the ticks are whole numbers.
Ticks nice_ticks(double most, int intervals, double least = 0);

}  // namespace clchol::cli
