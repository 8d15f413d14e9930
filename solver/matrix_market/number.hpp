// Decimal numbers of Matrix Market files, from characters to the nearest double.
//
// Grammar: [+-] digits [. digits] [exponent], at least one digit before the exponent; exponent =
// (e|E|d|D) [+-] digits, or Fortran's three-digit form without a letter, [+-] digits.
//
// Method: the digits give an integer m and a power of ten e with value = m * 10^e.
//   m <= 2^53, |e| <= 22             one multiplication or division of exact doubles, hence rounded
//                                    once [C90, Sec. 2]
//   up to 19 digits, -19 <= e <= 0   m / 10^-e as an integer quotient of 64 bits and a sticky bit,
//                                    rounded once: what 16 and 17 printed digits need
//   otherwise                        std::from_chars
// All three are correctly rounded (to nearest, the mode that C++ starts with; the first one also
// needs double expressions to be evaluated in double).  No locale, no allocation but for numbers of
// more than 100 digits with a Fortran exponent.
#pragma once

#include <cfloat>
#include <cstdint>

#include "base/types.hpp"

namespace clchol::solver {

static_assert(FLT_EVAL_METHOD == 0, "The exact short cut needs double arithmetic.");

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
/// What separates words of a line.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// A number cut into its parts: (-1)^negative * digits * 10^exponent.
struct DecimalToken {
  const char* digits;      // First digit or point.
  const char* digits_end;  // Behind the last one.
  const char* end;         // Behind the exponent.
  std::uint64_t mantissa;  // All digits as one integer, if num_digits <= 19.
  int num_digits;          // Leading zeros included; saturates.
  int exponent10;          // Of the mantissa: the written exponent less the digits after the point.
  int written_exponent;
  bool negative;
};

/// The value of a token that the exact short cut does not cover.
/// @return false if it overflows.  What is below the smallest double becomes 0 or that double.
bool round_decimal(const DecimalToken& token, double* value);

/// Reads an exponent at p, if one stands there, into token->written_exponent and token->end.
/// @return false if a letter or a sign stands there without digits.
bool scan_exponent(const char* p, DecimalToken* token);

/// Splits the number at p, which must lie in a text that ends with a byte that no number contains.
/// @return false if no number stands at p.
inline bool scan_decimal(const char* p, DecimalToken* token) {
  token->negative = *p == '-';
  p += *p == '-' || *p == '+';
  token->digits = p;
  std::uint64_t mantissa = 0;
  while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<unsigned char>(*p++ - '0');
  std::int64_t num_digits = p - token->digits;
  std::int64_t num_fraction = 0;
  if (*p == '.') {
    const char* fraction = ++p;
    while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<unsigned char>(*p++ - '0');
    num_fraction = p - fraction;
    num_digits += num_fraction;
  }
  // Lines, hence numbers, are far shorter than 2^31.
  token->num_digits = static_cast<int>(num_digits);
  token->mantissa = mantissa;
  token->digits_end = token->end = p;
  token->written_exponent = 0;
  // Mostly a blank or a line end follows; letters and signs have larger codes.
  if (*p > ' ' && !scan_exponent(p, token)) return false;
  token->exponent10 = token->written_exponent - static_cast<int>(num_fraction);
  return num_digits > 0;
}

/// Powers of ten that are exact doubles.
inline constexpr double kExactPower10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Reads the finite number at p.
/// @return where it ends; null if no number stands there or it overflows.
inline const char* parse_real(const char* p, double* value) {
  DecimalToken token;
  if (!scan_decimal(p, &token)) return nullptr;
  constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;
  if (token.num_digits <= 19 && token.mantissa <= kExactIntegers && token.exponent10 >= -22 &&
      token.exponent10 <= 22) {
    const auto m = static_cast<double>(token.mantissa);
    const double magnitude = token.exponent10 < 0 ? m / kExactPower10[-token.exponent10]
                                                  : m * kExactPower10[token.exponent10];
    *value = token.negative ? -magnitude : magnitude;
    return token.end;
  }
  return round_decimal(token, value) ? token.end : nullptr;
}

/// Reads the unsigned integer of at most 18 digits at p.
/// @return where it ends; null if none stands there.
inline const char* parse_unsigned(const char* p, std::uint64_t* value) {
  const char* start = p;
  std::uint64_t sum = 0;
  while (is_digit(*p)) sum = 10 * sum + static_cast<unsigned char>(*p++ - '0');
  *value = sum;
  return p != start && p - start <= 18 ? p : nullptr;
}

}  // namespace clchol::solver
