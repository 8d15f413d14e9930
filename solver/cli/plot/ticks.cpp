#include "solver/cli/plot/ticks.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace clchol::cli {
namespace {

/// @return the smallest number >= x > 0 that is 1, 2 or 5 times a power of ten.
double rounded_up(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    // The factor allows for a rounding error of x: 0.3 / 3 must give 0.1.
    if (digit * power >= x * (1 - 1e-12)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

std::string Ticks::label(double value) const {
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return fixed_text(value, decimals);
}

Ticks nice_ticks(double most, int intervals, double least) {
  Ticks ticks;
  if (!(most > 0) || !std::isfinite(most)) {
    ticks.values = {0};
    return ticks;
  }
  ticks.step = rounded_up(std::max(most / intervals, least));
  const auto last = static_cast<int>(std::floor(most / ticks.step * (1 + 1e-12)));
  for (int k = 0; k <= last; ++k) ticks.values.push_back(k * ticks.step);
  return ticks;
}

}  // namespace clchol::cli
