#include "solver/check_options.hpp"

#include <cmath>
#include <string>

#include "base/number_text.hpp"
#include "ordering/permutation.hpp"

namespace clchol::solver {
namespace {

[[noreturn]] void refuse(const char* option, const std::string& value, const std::string& bound) {
  throw InvalidArgument(std::string("Options::") + option + " is " + value + ", must be " + bound);
}

template <class V>
void check_at_least(const char* option, V value, V least) {
  if (value < least) refuse(option, std::to_string(value), "at least " + std::to_string(least));
}

/// @param last  the enumeration's last value; the first is 0.
template <class E>
void check_enumeration(const char* option, E value, E last) {
  const auto number = static_cast<long long>(value), greatest = static_cast<long long>(last);
  if (number >= 0 && number <= greatest) return;
  refuse(option, std::to_string(number),
         "one of its enumeration, 0 to " + std::to_string(greatest));
}

}  // namespace

void check_options(const Options& options) {
  check_enumeration("ordering", options.ordering, Ordering::kGiven);
  check_enumeration("ordering_effort", options.ordering_effort, OrderingEffort::kBest);
  check_enumeration("precision", options.precision, Precision::kMixed);
  check_enumeration("scaling", options.scaling, Scaling::kAlways);
  check_enumeration("error_checks", options.error_checks, ErrorChecks::kNever);
  check_at_least("expected_factorizations", options.expected_factorizations, 1);
  check_at_least("expected_solves", options.expected_solves, 1);
  check_at_least("threads", options.threads, 0);
  check_at_least("max_refine_steps", options.max_refine_steps, 0);
  check_at_least("host_memory_limit", options.host_memory_limit, std::int64_t{0});
  check_at_least("device_memory_limit", options.device_memory_limit, std::int64_t{0});
  // Not by operators, which raise a floating-point exception for what is not a number.
  if (!std::isgreaterequal(options.tolerance, 0.0) || !std::islessequal(options.tolerance, 1.0)) {
    refuse("tolerance", general_text(options.tolerance, 6), "0 (the default) to 1");
  }
  if (!options.permutation.empty() && options.ordering != Ordering::kGiven) {
    throw InvalidArgument("Options::permutation has " + std::to_string(options.permutation.size()) +
                          " entries, must be empty unless Options::ordering is kGiven");
  }
}

void check_permutation(const Options& options, Index n) {
  if (options.ordering != Ordering::kGiven) return;
  if (options.permutation.size() != static_cast<std::size_t>(n)) {
    throw InvalidArgument("Options::permutation has " + std::to_string(options.permutation.size()) +
                          " entries, must have n = " + std::to_string(n));
  }
  static_cast<void>(ordering::make_permutation(options.permutation));
}

bool asks_for_same_analysis(const Options& a, const Options& b) {
  return a.ordering == b.ordering && a.ordering_effort == b.ordering_effort &&
         a.ordering_seed == b.ordering_seed && a.permutation == b.permutation &&
         a.compress == b.compress && a.amalgamate == b.amalgamate;
}

}  // namespace clchol::solver
