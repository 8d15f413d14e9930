// The end of a run without a result: what main and device runs say in the same words.
#pragma once

#include "solver/cli/outcome.hpp"

namespace clchol::cli {

/// Prints the error line and, with `json`, the object in which all else is null.
/// @return the exit code.
int refuse(const Verdict& verdict, bool json);

}  // namespace clchol::cli
