// The kernels of form kRows above 16 rows, with the same number of columns of a block, compute the
// same bits (SmallFrontParams::has_bits_of()).  Each of these kernels is compiled in an object file
// of its own (small_front_test.cpp), which registers a function here; small_front_bits_test.cpp
// compares what the functions return.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace clchol::emulated {

/// A function that factors the same fronts with one kernel, and returns all entries of the panels
/// and of the update matrices, and the failed pivots.
using FactoredFronts = std::vector<double> (*)();

/// The function of each suite, by the columns of a block and the suite's name.
inline std::map<std::pair<int, std::string>, FactoredFronts>& factored_by_suites() {
  static std::map<std::pair<int, std::string>, FactoredFronts> suites;
  return suites;
}

}  // namespace clchol::emulated
