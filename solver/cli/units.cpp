#include "solver/cli/units.hpp"

#include <array>
#include <cmath>

#include "base/number_text.hpp"

namespace clchol::cli {
namespace {

/// Formats a value in [1, 1000), up to rounding, with three significant digits and no exponent.
std::string three_digits(double value) {
  if (value >= 99.95) return fixed_text(value, 0);
  return fixed_text(value, value >= 9.995 ? 1 : 2);
}

/// Formats a value with the largest unit 1000^k for which the number is at least 1.
/// @param value  in units[0].
template <std::size_t Count>
std::string scaled(double value, const std::array<const char*, Count>& units) {
  std::size_t k = 0;
  while (k + 1 < Count && value >= 999.5) {
    value /= 1000;
    ++k;
  }
  const bool whole = k == 0 && value == std::floor(value);
  return (whole ? fixed_text(value, 0) : three_digits(value)) + " " + units[k];
}

}  // namespace

std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > first && (digits.size() - k) % 3 == 0) text += ',';
    text += digits[k];
  }
  return text;
}

std::string seconds_text(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  return scaled(seconds * 1e6, std::array{"us", "ms"});
}

std::string bytes_text(double bytes) {
  return scaled(bytes, std::array{"B", "kB", "MB", "GB", "TB"});
}

std::string flops_text(double flops) {
  return scaled(flops, std::array{"flop", "kflop", "Mflop", "Gflop", "Tflop", "Pflop"});
}

std::string small_text(double value) { return value == 0 ? "0" : scientific_text(value, 1); }

}  // namespace clchol::cli
