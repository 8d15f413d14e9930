// Options by name and text: "solve.tolerance" and "1e-12".
//
// A name is the path of a member of Options.  Bindings of other languages set options by these
// names, so that they need no new code for a new option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clchol/options.hpp"

namespace clchol::solver {

/// Name of an option by its number, counted from 0.  nullptr: there are no more.
const char* option_name(int number) noexcept;

/// The value of the named option as a text that set_option() takes.  Numbers are written in the
/// form of C, whatever the locale is.  "analysis.ordering" is Options::analysis.ordering together
/// with Options::analysis.effort, as in "nd:best"; devices are separated by commas.
/// Throws InvalidArgument when no option has this name.
std::string option_text(const Options& options, std::string_view name);

/// Throws InvalidArgument when no option has this name, and when the text is not a value of the
/// option's type; options are then unchanged.  Ranges are checked by the calls that read options.
void set_option(Options& options, std::string_view name, std::string_view text);

/// Options::devices of a text that separates names by commas; none of "".
std::vector<std::string> devices_of_text(std::string_view text);

/// The text of which devices_of_text() makes these names.
std::string text_of_devices(const std::vector<std::string>& devices);

}  // namespace clchol::solver
