// The table of families.  A new one is a file with a function of this kind and a row in
// families.cpp.
#pragma once

#include <string>
#include <vector>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

/// @param quick  small shapes: seconds on a CPU, all variants and precisions all the same.
using ListCases = std::vector<Case> (*)(bool quick);

std::vector<Case> peak_cases(bool quick);
std::vector<Case> product_cases(bool quick);
std::vector<Case> triangle_cases(bool quick);
std::vector<Case> potrf_cases(bool quick);
std::vector<Case> small_front_cases(bool quick);
std::vector<Case> front_batch_cases(bool quick);
std::vector<Case> assembly_cases(bool quick);
std::vector<Case> permute_rhs_cases(bool quick);
std::vector<Case> solve_cases(bool quick);
std::vector<Case> reduce_cases(bool quick);
std::vector<Case> residual_cases(bool quick);
std::vector<Case> row_reduce_cases(bool quick);
std::vector<Case> scan_cases(bool quick);

/// All cases in the order of the report; those that measure peaks come first.
std::vector<Case> all_cases(bool quick);

/// Whether the case measures what others are compared with.
bool is_peak(const Case& c);

/// The names that --kernel takes.
std::vector<std::string> kernel_names();

/// Throws Failure(kUsage), with the list of known names, for one that is not known.
void check_kernel_names(const std::vector<std::string>& names,
                        const std::vector<std::string>& known);

}  // namespace clchol::cli
