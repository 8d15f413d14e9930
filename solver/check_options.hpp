// Options that make sense, checked where a call of the public class reads them.
#pragma once

#include "clchol/clchol.hpp"

namespace clchol::solver {

/// Throws InvalidArgument that names the option, its value and the bound: numbers out of range,
/// values that an enumeration does not have, a permutation that the ordering would not read.
/// Not checked: the permutation's content, and the device's name.
void check_options(const Options& options);

/// Throws InvalidArgument where Options::permutation is read and is none of n rows.
void check_permutation(const Options& options, Index n);

/// Whether analyses of one pattern, asked for with these options, are the same: ordering, effort,
/// seed, permutation, compress, amalgamate.
bool asks_for_same_analysis(const Options& a, const Options& b);

}  // namespace clchol::solver
