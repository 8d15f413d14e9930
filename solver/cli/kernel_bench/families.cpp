#include "solver/cli/kernel_bench/families.hpp"

#include <algorithm>
#include <iterator>

#include "solver/cli/outcome.hpp"

namespace clchol::cli {
namespace {

constexpr ListCases kFamilies[] = {
    peak_cases,        product_cases,    triangle_cases,    potrf_cases, small_front_cases,
    front_batch_cases, assembly_cases,   permute_rhs_cases, solve_cases, reduce_cases,
    residual_cases,    row_reduce_cases, scan_cases};

}  // namespace

std::vector<Case> all_cases(bool quick) {
  std::vector<Case> cases;
  for (const ListCases list : kFamilies) {
    std::vector<Case> more = list(quick);
    std::move(more.begin(), more.end(), std::back_inserter(cases));
  }
  return cases;
}

bool is_peak(const Case& c) { return c.kernel.rfind("peak_", 0) == 0; }

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Case& c : all_cases(true)) {
    const bool known = std::find(names.begin(), names.end(), c.kernel) != names.end();
    if (!known && !is_peak(c)) names.push_back(c.kernel);
  }
  return names;
}

void check_kernel_names(const std::vector<std::string>& names,
                        const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string problem = "': no such kernel; known: ";
    throw Failure(Outcome::kUsage,
                  std::string("--kernel '").append(name).append(problem).append(list));
  }
}

}  // namespace clchol::cli
