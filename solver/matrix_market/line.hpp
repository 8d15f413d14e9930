// Careful parsers of words and lines.  They decide on text that the fast parsers do not accept.
//
// Each function returns the error in its text as a clause for the message.  If there is no error,
// the function returns an empty string and sets its result.
#pragma once

#include <string>
#include <string_view>

#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

/// Parses an integer in [0, 2^63).  @param what  its name in the message: "number of rows".
std::string examine_size(std::string_view word, const char* what, Offset* size);

/// Parses the order of a matrix, 1 to 2^31 - 2.
std::string examine_order(std::string_view word, const char* what, Index* order);

/// Parses an integer of either sign.
std::string examine_integer(std::string_view word, const char* what, Offset* value);

/// Parses an index in first..last and stores it 0-based: *index = parsed index - first.
/// @param first  0 or 1.
std::string examine_index(std::string_view word, const char* what, Index first, Index last,
                          Index* index);

/// Parses a finite number.
std::string examine_value(std::string_view word, double* value);

/// Parses a line that is neither blank nor a comment.
/// @param entry  the result; its indices are the line's, less shape.first_index().
std::string examine_entry_line(std::string_view line, const EntryShape& shape, Entry* entry);

}  // namespace clchol::solver
