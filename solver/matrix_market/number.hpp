// Converts decimal numbers of Matrix Market files to the nearest double.
//
// Grammar: [+-] digits [. digits] [exponent], at least one digit before the exponent; exponent =
// (e|E|d|D) [+-] digits, or Fortran's three-digit form without a letter, [+-] digits.
//
// Method: the digits give an integer m and a power of ten e with value = m * 10^e.
//   m <= 2^53, |e| <= 22             one multiplication or division of exact doubles, hence rounded
//                                    once [C90, Sec. 2]
//   up to 19 digits, -19 <= e <= 0   m / 10^-e as an integer quotient of 64 bits and a sticky bit
//                                    (whether the remainder is not zero), rounded once; covers
//                                    values printed with 16 or 17 digits
//   otherwise                        std::from_chars
// All three methods round correctly (to nearest, the mode in which C++ programs start).  The first
// method is called the exact short cut below; it also requires that double expressions are
// evaluated in double.  The conversion uses no locale, and allocates only for numbers of more than
// 100 digits with a Fortran exponent.
#pragma once

#include <cfloat>
#include <cstdint>

#include "base/types.hpp"

namespace clchol::solver {

static_assert(FLT_EVAL_METHOD == 0, "The exact short cut needs double arithmetic.");

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
/// Whether `c` separates the words of a line.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// The letter in upper case; other characters unchanged.
inline char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// The parts of a decimal number.  Its value is (-1)^negative * mantissa * 10^exponent10.
struct DecimalToken {
  const char* digits;      // Address of the first digit or decimal point.
  const char* digits_end;  // Address after the last digit or decimal point.
  const char* end;         // Address after the number, its exponent included.
  std::uint64_t mantissa;  // All digits as one integer; valid if num_digits <= 19.
  int num_digits;          // Number of digits, leading zeros included.
  int exponent10;          // written_exponent less the number of digits after the decimal point.
  int written_exponent;    // Exponent as written; 0 if the number has none.
  bool negative;
};

/// Converts a token that the exact short cut does not cover to the nearest double.
/// @return false if the value overflows.  A magnitude below the smallest double becomes 0 or the
///         smallest double.
bool round_decimal(const DecimalToken& token, double* value);

/// If an exponent begins at p, parses it and sets token->written_exponent and token->end.
/// @return false if the letter or the sign of an exponent is at p, but no digits follow.
bool scan_exponent(const char* p, DecimalToken* token);

/// Splits the number at p into its parts, and sets all members of *token.  The text must end with a
/// byte that no number contains, such as '\n'.
/// @return false if no number begins at p.
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
  // The cast is safe: lines, hence numbers, are far shorter than 2^31.
  token->num_digits = static_cast<int>(num_digits);
  token->mantissa = mantissa;
  token->digits_end = token->end = p;
  token->written_exponent = 0;
  // Usually a blank or a line end follows.  Letters and signs have larger codes.
  if (*p > ' ' && !scan_exponent(p, token)) return false;
  token->exponent10 = token->written_exponent - static_cast<int>(num_fraction);
  return num_digits > 0;
}

/// Powers of ten that are exact doubles.
inline constexpr double kExactPower10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Parses the number at p.  The text must end with a byte that no number contains.
/// @return the address after the number; null if no number begins at p or the number overflows.
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

/// Parses the unsigned integer of at most 18 digits at p.
/// @return the address after the integer; null if no such integer begins at p.
inline const char* parse_unsigned(const char* p, std::uint64_t* value) {
  const char* start = p;
  std::uint64_t sum = 0;
  while (is_digit(*p)) sum = 10 * sum + static_cast<unsigned char>(*p++ - '0');
  *value = sum;
  return p != start && p - start <= 18 ? p : nullptr;
}

}  // namespace clchol::solver
