// Checks of options.  Every function of the public class SparseCholesky that reads options calls
// check_options() before any other work.
#pragma once

#include "clchol/clchol.hpp"

namespace clchol::solver {

/// Throws InvalidArgument, which names the option, its value and the bound, for
/// - a number out of range, or a value outside its enumeration;
/// - a permutation, unless the ordering is Ordering::kGiven, the only one that reads a permutation;
/// - names of devices when Options::engine is kCpu, and the names "auto", "cpu" and "".
/// Does not check the entries of the permutation, or whether a device of a given name exists.
void check_options(const Options& options);

/// Throws InvalidArgument when the ordering is Ordering::kGiven and Options::analysis.permutation
/// is not a permutation of n rows.
void check_permutation(const Options& options, Index n);

}  // namespace clchol::solver
