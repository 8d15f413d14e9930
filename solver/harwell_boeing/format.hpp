// Fortran formats, as far as they tell where the numbers of a line stand.
//
//   format     = ( list )
//   list       = item { [,] item }
//   item       = [repeat] descriptor | [repeat] ( list ) | count X | [sign] scale P
//   descriptor = I w [.m] | F w.d | (E | D | G | ES | EN) w.d [E e]
//
// Source: ISO/IEC 1539-1:2018 (Fortran), Sec. 13.  A format is used again for each line; where it
// ends with a group among other items, Fortran would go back to the group alone, and it is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clchol::solver {

/// Columns of one number.
struct FormatField {
  int begin = 0;         // 0-based.
  int width = 0;         // At least 1.
  int decimals = 0;      // Digits behind the point that is implied where none is written.
  int scale = 0;         // k: a number without exponent stands for 10^-k times its digits.
  bool is_real = false;  // Not I.
};

/// What one line holds.
struct LineFormat {
  std::string text;                 // As in the file, for messages.
  std::vector<FormatField> fields;  // Ascending, at least one.
};

/// Columns of the longest line that a format may describe.
inline constexpr int kMostColumns = 10000;

/// Reads a format, its parentheses included.
/// @return what is wrong with it, empty if nothing is and *format holds it.
std::string examine_format(std::string_view text, LineFormat* format);

}  // namespace clchol::solver
