#include "base/number_text.hpp"

#include <array>
#include <charconv>

#include "base/assert.hpp"

namespace clchol {
namespace {

constexpr int kMostDigits = 100;
/// Characters of the longest text: the sign, the 309 digits before the decimal point of the largest
/// double, the point, and kMostDigits decimals.
constexpr std::size_t kLongestText = 1 + 309 + 1 + kMostDigits;

template <class... Format>
std::string text_of(Format... format) {
  std::array<char, kLongestText> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), format...);
  CLCHOL_ASSERT(error == std::errc());
  return {text.data(), end};
}

}  // namespace

std::string shortest_text(double value) { return text_of(value); }
std::string shortest_text(float value) { return text_of(value); }

std::string general_text(double value, int digits) {
  CLCHOL_ASSERT(digits >= 1 && digits <= kMostDigits);
  return text_of(value, std::chars_format::general, digits);
}

std::string fixed_text(double value, int decimals) {
  CLCHOL_ASSERT(decimals >= 0 && decimals <= kMostDigits);
  return text_of(value, std::chars_format::fixed, decimals);
}

std::string scientific_text(double value, int decimals) {
  CLCHOL_ASSERT(decimals >= 0 && decimals <= kMostDigits);
  return text_of(value, std::chars_format::scientific, decimals);
}

std::string gigabytes_text(std::int64_t bytes) {
  return general_text(static_cast<double>(bytes) * 1e-9, 3) + " GB";
}

}  // namespace clchol
