// Lists the families of kernels of the kernel benchmark.  A family is a group of related kernels
// (case.hpp).  A new family needs a file with a function of type ListCases, a declaration here, and
// a row in families.cpp.
#pragma once

#include <string>
#include <vector>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

/// Type of a function that returns a family's cases.
/// @param quick  true: operands are so small that all cases, in all variants and precisions, take
///               seconds on a CPU.  false: operands of the sizes that benchmarks report.
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

/// Returns the cases of all families in the order of the report.  Cases that measure peaks come
/// first.
std::vector<Case> all_cases(bool quick);

/// Whether the case measures a peak rate of the device, with which the rates of other cases are
/// compared.
bool is_peak(const Case& c);

/// Returns the names that --kernel of `clchol bench kernels` takes: the kernels of all cases,
/// except those that measure peaks.
std::vector<std::string> kernel_names();

/// Throws Failure(kUsage), which lists the known names, when one of `names` is not in `known`.
void check_kernel_names(const std::vector<std::string>& names,
                        const std::vector<std::string>& known);

}  // namespace clchol::cli
