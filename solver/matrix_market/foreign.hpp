// What a file is that is not Matrix Market, so that a refusal can say what to do about it.
#pragma once

#include <string>
#include <string_view>

namespace clchol::solver {

/// A clause for the message: "this looks like ...; do ...".
/// @param text  the file from its first line that is not blank, as much as is at hand.
std::string describe_foreign_text(std::string_view text);

}  // namespace clchol::solver
