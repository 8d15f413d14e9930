// What a file is that is not Matrix Market, so that a refusal can say what to do about it.
#pragma once

#include <string>
#include <string_view>

namespace clchol::solver {

/// A clause for the message: "this looks like ...; do ...".
/// @param text  the file from its first line that is not blank, as much as is at hand.
std::string describe_foreign_text(std::string_view text);

/// Whether a text begins as Harwell-Boeing and Rutherford-Boeing files do: with counts in its
/// second line and a type in its third.  @param text  the file from its first line.
bool is_harwell_boeing(std::string_view text);

/// Whether a word is a type of theirs, such as RSA or pua.
bool is_harwell_boeing_type(std::string_view word);

}  // namespace clchol::solver
