// Parses Fortran formats, such as (5E16.8).  A format says in which columns (character positions)
// of a line the numbers are.  The grammar of the formats that are accepted:
//
//   format     = ( list )
//   list       = item { [,] item }
//   item       = [repeat] descriptor | [repeat] ( list ) | count X | [sign] scale P
//   descriptor = I w [.m] | F w.d | (E | D | G | ES | EN) w.d [E e]
//
// { } means any number of times, [ ] means optional.  The letters w, d, m, e, repeat, count and
// scale stand for numbers.  Source: ISO/IEC 1539-1:2018 (Fortran), Sec. 13.
//
// The whole format applies to each line.  A format with a parenthesized list beside other items is
// refused, because Fortran would apply only that list to the lines after the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clchol::solver {

/// A field: the columns of one number in a line, and how Fortran converts the number.
struct FormatField {
  int begin = 0;  // First column of the field in the line, counted from 0.
  int width = 0;  // Number of columns, at least 1.
  // d of the descriptor: a number that is written without a decimal point has its point before its
  // last d digits.
  int decimals = 0;
  // k of a scale factor kP: a number that is written without an exponent is multiplied by 10^-k.
  int scale = 0;
  bool is_real = false;  // Whether the field is for a real number: the descriptor is not I.
};

/// The fields of one line.
struct LineFormat {
  std::string text;                 // The format as it stands in the file, for messages.
  std::vector<FormatField> fields;  // At least one field, in ascending order of columns.
};

/// Greatest number of columns of a line that a format may describe.
inline constexpr int kMostColumns = 10000;

/// Parses a format, and sets *format to its fields.
/// @param text  the format, with its outer parentheses.
/// @return empty if there is no error.  Otherwise the error, as a clause for a message; *format is
///         then not set.
std::string examine_format(std::string_view text, LineFormat* format);

}  // namespace clchol::solver
