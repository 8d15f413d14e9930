// Checks of options.  Every call of the public class that reads options makes them first.
#pragma once

#include "clchol/clchol.hpp"

namespace clchol::solver {

/// Throws InvalidArgument, which names the option, its value and the bound, for a number out of
/// range, a value outside its enumeration, a permutation that the ordering would not read, and
/// devices for the CPU engine.  Does not check the entries of the permutation or the names of
/// devices.
void check_options(const Options& options);

/// Throws InvalidArgument when the ordering is Ordering::kGiven and Options::analysis.permutation
/// is not a permutation of n rows.
void check_permutation(const Options& options, Index n);

}  // namespace clchol::solver
