// Words and lines looked at with care: the judge of what the fast parsers do not take.
//
// Each function returns what is wrong with the text that it is given, empty if nothing is; only
// then has it set its result.
#pragma once

#include <string>
#include <string_view>

#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

/// Reads an integer in [0, 2^63).  @param what  names it: "number of rows".
std::string examine_size(std::string_view word, const char* what, Offset* size);

/// Reads the order of a matrix, 1 to 2^31 - 2.
std::string examine_order(std::string_view word, const char* what, Index* order);

/// Reads an integer of either sign.
std::string examine_integer(std::string_view word, const char* what, Offset* value);

/// Reads an index in first..last, first being 0 or 1, into *index, less `first`.
std::string examine_index(std::string_view word, const char* what, Index first, Index last,
                          Index* index);

/// Reads a finite number.
std::string examine_value(std::string_view word, double* value);

/// Reads a line that is neither blank nor a comment into a (0-based) entry.
std::string examine_entry_line(std::string_view line, const EntryShape& shape, Entry* entry);

}  // namespace clchol::solver
