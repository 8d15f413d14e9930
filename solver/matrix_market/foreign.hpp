// Guesses the format of a file that is not Matrix Market, so that the error message can say which
// format it seems to be and what the user can do.
#pragma once

#include <string>
#include <string_view>

namespace clchol::solver {

/// @param text  the file's text from its first non-blank line on; the end of it may be missing.
/// @return a clause for the message: "this looks like ...; do ...".
std::string describe_foreign_text(std::string_view text);

/// Whether a text begins like a Harwell-Boeing or Rutherford-Boeing file: with counts in the second
/// line and a matrix type in the third.  @param text  the file's text from its first line.
bool is_harwell_boeing(std::string_view text);

/// Whether a word is a matrix type of Harwell-Boeing files, such as RSA or pua.
bool is_harwell_boeing_type(std::string_view word);

}  // namespace clchol::solver
