// One entry line, looked at word by word: the judge of lines that the fast parser does not take.
#pragma once

#include <string>
#include <string_view>

#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

/// Reads a line that is neither blank nor a comment.
/// @return what is wrong with it, empty if nothing is and *entry holds its (0-based) entry.
std::string examine_entry_line(std::string_view line, const EntryShape& shape, Entry* entry);

}  // namespace clchol::solver
