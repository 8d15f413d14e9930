// The head of a Harwell-Boeing or Rutherford-Boeing file: its first four or five lines.
#pragma once

#include <string>

#include "solver/harwell_boeing/format.hpp"
#include "solver/harwell_boeing/lines.hpp"

namespace clchol::solver {

struct HarwellBoeingHeader {
  std::string type;  // Three letters, in upper case.
  Index n = 0;       // Rows and columns, 1 to 2^31 - 2.
  Offset entries = 0;
  LineFormat pointers;  // Formats of integers,
  LineFormat indices;
  LineFormat values;  // and of any numbers.  None for a pattern.
  bool has_right_hand_sides = false;

  bool is_general() const { return type[1] == 'U'; }
  bool is_pattern() const { return type[0] == 'P'; }
};

/// Lines of the head that messages name.
inline constexpr Offset kCountLine = 2;
inline constexpr Offset kTypeLine = 3;
inline constexpr Offset kFormatLine = 4;

/// Reads the head and refuses matrices that no solver of symmetric systems takes.
/// @param name          the file, for messages.
/// @param pattern_only  whether patterns are taken.
HarwellBoeingHeader read_header(const std::string& name, LineReader& lines, bool pattern_only);

}  // namespace clchol::solver
