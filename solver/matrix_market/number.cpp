#include "solver/matrix_market/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace clchol::solver {
namespace {

__extension__ using Uint128 = unsigned __int128;

// Exponents are limited to this magnitude.  It exceeds any number of digits in a line, so that
// "0.0...01e1000" keeps its meaning, and sums of exponents fit an int.
constexpr int kLargestExponent = 100'000'000;

constexpr std::array<std::uint64_t, 20> integer_powers_of_ten() {
  std::array<std::uint64_t, 20> power = {1};
  for (std::size_t k = 1; k < power.size(); ++k) power[k] = 10 * power[k - 1];
  return power;
}
constexpr std::array<std::uint64_t, 20> kPower10 = integer_powers_of_ten();

/// Computes m / 10^k rounded to nearest even, for m > 0 and k <= 19.
///
///   d = 10^k * 2^t,  M = m * 2^s, both normalized to 64 bits;
///   q = floor(M * 2^63 / d), 2^62 < q < 2^64;  m / 10^k = (q + fraction) * 2^(t - s - 63).
///
/// q has at least ten bits more than the 53 bits of a double.  The fraction affects the rounding
/// only by being zero or not, so this one bit is or-ed into the last bit of q.  The conversion of q
/// then rounds once, and the scaling is exact, because the result is far above the underflow
/// threshold.
double divide_by_power10(std::uint64_t m, int k) {
  const int s = std::countl_zero(m);
  const int t = std::countl_zero(kPower10[k]);
  const Uint128 numerator = static_cast<Uint128>(m << s) << 63;
  const std::uint64_t d = kPower10[k] << t;
  const auto q = static_cast<std::uint64_t>(numerator / d);
  const bool sticky = numerator != static_cast<Uint128>(q) * d;
  const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + t - s - 63) << 52);
  return static_cast<double>(q | (sticky ? 1 : 0)) * scale;
}

/// Converts the characters [first, last), which must have the syntax of std::from_chars.
bool from_characters(const char* first, const char* last, double* value) {
  const std::from_chars_result result = std::from_chars(first, last, *value);
  return result.ec == std::errc() && std::isfinite(*value);
}

/// Converts the number of a token with std::from_chars.  A Fortran exponent is rewritten with an
/// 'e' first.
bool from_token(const DecimalToken& token, double* value) {
  const char* mark = token.digits_end;
  if (mark == token.end || *mark == 'e' || *mark == 'E') {
    return from_characters(token.digits, token.end, value);
  }
  constexpr std::ptrdiff_t kBufferBytes = 128;
  constexpr std::ptrdiff_t kExponentBytes = 16;
  const std::ptrdiff_t size = token.digits_end - token.digits;
  std::array<char, kBufferBytes> buffer;
  std::string long_buffer;
  char* text = buffer.data();
  if (size > kBufferBytes - kExponentBytes) {
    long_buffer.resize(static_cast<std::size_t>(size + kExponentBytes));
    text = long_buffer.data();
  }
  char* end = std::copy(token.digits, token.digits_end, text);
  *end++ = 'e';
  end = std::to_chars(end, end + kExponentBytes - 1, token.written_exponent).ptr;
  return from_characters(text, end, value);
}

/// Whether a non-zero number that does not fit a double is too large rather than too small: whether
/// its exponent in scientific notation is positive.
bool exceeds_one(const DecimalToken& token) {
  const char* point = std::find(token.digits, token.digits_end, '.');
  const char* first =
      std::find_if(token.digits, token.digits_end, [](char c) { return c != '0' && c != '.'; });
  const std::ptrdiff_t magnitude = first < point ? point - first - 1 : point - first;
  return magnitude + token.written_exponent > 0;
}

}  // namespace

bool scan_exponent(const char* p, DecimalToken* token) {
  const char letter = static_cast<char>(*p | 0x20);
  const bool has_letter = letter == 'e' || letter == 'd';
  if (!has_letter && *p != '+' && *p != '-') return true;  // No exponent: the number ends at p.
  p += has_letter;
  const bool negative = *p == '-';
  p += *p == '-' || *p == '+';
  if (!is_digit(*p)) return false;
  int exponent = 0;
  for (; is_digit(*p); ++p) exponent = std::min(10 * exponent + (*p - '0'), kLargestExponent);
  token->written_exponent = negative ? -exponent : exponent;
  token->end = p;
  return true;
}

bool round_decimal(const DecimalToken& token, double* value) {
  double magnitude = 0.0;
  const bool all_digits_held = token.num_digits <= 19;
  if (all_digits_held && token.mantissa == 0) {
    magnitude = 0.0;
  } else if (all_digits_held && token.exponent10 <= 0 && token.exponent10 >= -19) {
    magnitude = divide_by_power10(token.mantissa, -token.exponent10);
  } else if (!from_token(token, &magnitude)) {
    if (exceeds_one(token)) return false;
    magnitude = 0.0;
  }
  *value = token.negative ? -magnitude : magnitude;
  return true;
}

}  // namespace clchol::solver
