// Reports the end of a run without a result; used by main and by device sessions.
#pragma once

#include "solver/cli/outcome.hpp"

namespace clchol::cli {

/// Prints the error line and, with `json`, an object with the verdict and null for other values.
/// @return the exit code.
int refuse(const Verdict& verdict, bool json);

}  // namespace clchol::cli
