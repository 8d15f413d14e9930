// Parses the head of a Harwell-Boeing or Rutherford-Boeing file: its first four or five lines.
#pragma once

#include <string>

#include "solver/harwell_boeing/format.hpp"
#include "solver/harwell_boeing/lines.hpp"

namespace clchol::solver {

/// What the head says (harwell_boeing.hpp describes the lines).
struct HarwellBoeingHeader {
  std::string type;     // Type of the matrix: three letters, in upper case, for example "RSA".
  Index n = 0;          // Number of rows, and of columns: 1 to 2^31 - 2.
  Offset entries = 0;   // Number of entries that the file has, according to the head.
  LineFormat pointers;  // Format of the lines of column pointers, which are integers.
  LineFormat indices;   // Format of the lines of row indices, which are integers.
  LineFormat values;    // Format of the lines of values.  Empty for a pattern or without entries.
  bool has_right_hand_sides = false;  // Whether right-hand sides follow the values.

  /// Whether the file has both triangles.
  bool is_general() const { return type[1] == 'U'; }
  /// Whether the file has no values.
  bool is_pattern() const { return type[0] == 'P'; }
};

inline constexpr Offset kCountLine = 2;  ///< Number of the line with the numbers of lines, from 1.
inline constexpr Offset kTypeLine = 3;   ///< Number of the line with type and sizes, from 1.

/// Parses the head.  Throws InvalidArgument for a head that is malformed, and for a type of matrix
/// that the reader refuses (harwell_boeing.hpp).
/// @param name          name of the file, for messages.
/// @param lines         reader of the file, at the first line.  After the call, it is at the first
///                      line of column pointers.
/// @param pattern_only  whether matrices without values (pattern types) are accepted.
HarwellBoeingHeader read_header(const std::string& name, LineReader& lines, bool pattern_only);

}  // namespace clchol::solver
