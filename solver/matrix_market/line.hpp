// Careful parsers of words and lines.  The fast parsers of entries.cpp accept the usual forms of a
// line; a line that they do not accept is parsed again here, which either succeeds or says what is
// wrong with the line.
//
// Each function returns the error in its text as a clause for the message.  If there is no error,
// the function returns an empty string and writes the result to its last argument.
#pragma once

#include <string>
#include <string_view>

#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

/// Parses an integer in [0, 2^63).
/// @param what  name of the integer in the error message, such as "number of rows".
std::string examine_size(std::string_view word, const char* what, Offset* size);

/// Parses a number of rows or columns, 1 to 2^31 - 2.
/// @param what  name of the number in the error message.
std::string examine_order(std::string_view word, const char* what, Index* order);

/// Parses an integer of either sign.
/// @param what  name of the integer in the error message.
std::string examine_integer(std::string_view word, const char* what, Offset* value);

/// Parses an index from first to last, both included: *index = parsed index - first, 0-based.
/// @param what   name of the index in the error message.
/// @param first  the index of the first row or column in the file: 0 or 1.
std::string examine_index(std::string_view word, const char* what, Index first, Index last,
                          Index* index);

/// Parses a finite number.
std::string examine_value(std::string_view word, double* value);

/// Parses an entry line.  Precondition: the line is neither blank nor a comment.
/// @param entry  the result.  entry->row and entry->col are the indices in the line, each less
///               shape.first_index().
std::string examine_entry_line(std::string_view line, const EntryShape& shape, Entry* entry);

}  // namespace clchol::solver
