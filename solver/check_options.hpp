// Checks of options.  Every function of the public class SparseCholesky that reads options calls
// check_options() before any other work.
#pragma once

#include "clchol/clchol.hpp"

namespace clchol::solver {

/// Checks all options.  Throws InvalidArgument in the following cases.  The message names the
/// option, says what value it has, and what values are allowed.
/// - A number is outside of its range.
/// - The value of an enumeration is none of the enumeration's constants.
/// - Options::analysis.permutation is not empty, but the ordering is not Ordering::kGiven.  (No
///   other ordering reads the permutation.)
/// - Options::devices is not empty, but Options::engine is EngineKind::kCpu.
/// - Options::devices has the name "auto" or "cpu", or an empty name.
///
/// Does not check the entries of the permutation, or whether the named devices exist.
void check_options(const Options& options);

/// Throws InvalidArgument when the ordering is Ordering::kGiven and Options::analysis.permutation
/// is not a permutation of n rows.
void check_permutation(const Options& options, Index n);

}  // namespace clchol::solver
