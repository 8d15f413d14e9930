// Parses Fortran formats, to find the columns of the numbers in a line.
//
//   format     = ( list )
//   list       = item { [,] item }
//   item       = [repeat] descriptor | [repeat] ( list ) | count X | [sign] scale P
//   descriptor = I w [.m] | F w.d | (E | D | G | ES | EN) w.d [E e]
//
// Source: ISO/IEC 1539-1:2018 (Fortran), Sec. 13.  The whole format applies to each line.  A format
// with a parenthesized list among other items is refused, because Fortran would repeat only that
// list for the lines after the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clchol::solver {

/// The columns of one number, and its conversion.
struct FormatField {
  int begin = 0;     // First column, 0-based.
  int width = 0;     // Number of columns, at least 1.
  int decimals = 0;  // Implied number of digits after the decimal point, if no point is written.
  int scale = 0;     // Scale factor k: a number without exponent is multiplied by 10^-k.
  bool is_real = false;  // The descriptor is not I.
};

/// The fields of one line.
struct LineFormat {
  std::string text;                 // The format as in the file, for messages.
  std::vector<FormatField> fields;  // At least one field, in ascending order of columns.
};

/// Maximum number of columns of the line that a format describes.
inline constexpr int kMostColumns = 10000;

/// Parses a format, including its parentheses.
/// @return the error as a clause for the message; empty if there is none and *format is set.
std::string examine_format(std::string_view text, LineFormat* format);

}  // namespace clchol::solver
