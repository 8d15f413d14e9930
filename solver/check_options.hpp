// Options that make sense, checked where a call of the public class reads them.
#pragma once

#include "clchol/clchol.hpp"

namespace clchol::solver {

/// Throws InvalidArgument that names the option, its value and the bound: for numbers out of range,
/// values that an enumeration does not have, a permutation that the ordering would not read,
/// devices for the CPU's engine.  Neither the permutation's entries nor the names of devices are
/// checked.
void check_options(const Options& options);

/// Throws InvalidArgument where Options::analysis.permutation is read and is none of n rows.
void check_permutation(const Options& options, Index n);

}  // namespace clchol::solver
