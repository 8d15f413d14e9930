// What the environment asks of the libraries that stand in for another solver: their callers know
// nothing of clchol's options.
//
//   CLCHOL_DEVICE    "auto" (default), "cpu", or OpenCL devices as in Options::devices: "0", "H200"
//   CLCHOL_THREADS   most threads; 0 (default): as many as the process may use
//   CLCHOL_VERBOSE   1: a line on stderr for each analysis, factorization and solve
#pragma once

#include <string>

#include "clchol/clchol.hpp"

namespace clchol::drop_in {

/// Returns whether an environment variable is set, and neither empty nor "0".
bool is_on(const char* variable);

/// Returns default options, changed by CLCHOL_DEVICE and CLCHOL_THREADS.
/// Throws InvalidArgument, with the name of the variable, for a senseless number of threads.
Options options_from_environment();

/// Returns whether CLCHOL_VERBOSE is on, as read when the process first asked.
bool is_verbose();

/// Writes "library: line" to stderr if CLCHOL_VERBOSE is on.
void say(const char* library, const std::string& line);

/// Returns what `report` says of an analysis, a factorization and a solve, in one line.
std::string summary(const AnalysisReport& report);
std::string summary(const FactorReport& report);
std::string summary(const SolveReport& report, Index nrhs);

}  // namespace clchol::drop_in
