// Parses the head of a Harwell-Boeing or Rutherford-Boeing file: its first four or five lines.
#pragma once

#include <string>

#include "solver/harwell_boeing/format.hpp"
#include "solver/harwell_boeing/lines.hpp"

namespace clchol::solver {

struct HarwellBoeingHeader {
  std::string type;     // Three letters, in upper case.
  Index n = 0;          // Number of rows and columns, 1 to 2^31 - 2.
  Offset entries = 0;   // Number of entries announced.
  LineFormat pointers;  // Format of the column pointers, integers.
  LineFormat indices;   // Format of the row indices, integers.
  LineFormat values;    // Format of the values; empty for a pattern or without entries.
  bool has_right_hand_sides = false;

  bool is_general() const { return type[1] == 'U'; }
  bool is_pattern() const { return type[0] == 'P'; }
};

inline constexpr Offset kCountLine = 2;  ///< 1-based line of the line counts.
inline constexpr Offset kTypeLine = 3;   ///< 1-based line of the type and sizes.

/// Parses the head.  Throws InvalidArgument for a bad head and for a matrix that no solver of
/// symmetric systems accepts.
/// @param name          the file's name in messages.
/// @param pattern_only  whether patterns are accepted.
HarwellBoeingHeader read_header(const std::string& name, LineReader& lines, bool pattern_only);

}  // namespace clchol::solver
