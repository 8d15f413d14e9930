// Reports that a run ended without a result.  main() and DeviceSession call refuse() where there is
// no Session object, which would report the end of the run (Session::finish()).
#pragma once

#include "solver/cli/outcome.hpp"

namespace clchol::cli {

/// Prints the message of the verdict to standard error.  With `json`, also prints a JSON object
/// (record.hpp) to standard output, in which all values except those of the verdict are null.
/// @return the exit code of the process.
int refuse(const Verdict& verdict, bool json);

}  // namespace clchol::cli
