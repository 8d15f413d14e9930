#include "solver/check_options.hpp"

#include <cmath>
#include <string>

#include "base/number_text.hpp"
#include "ordering/permutation.hpp"

namespace clchol::solver {
namespace {

[[noreturn]] void refuse_option(const char* option, const std::string& value,
                                const std::string& bound) {
  throw InvalidArgument(std::string("Options::") + option + " is " + value + ", must be " + bound);
}

template <class V>
void check_at_least(const char* option, V value, V least) {
  if (value < least)
    refuse_option(option, std::to_string(value), "at least " + std::to_string(least));
}

/// @param last  last value of the enumeration; the first value is 0.
template <class E>
void check_enumeration(const char* option, E value, E last) {
  const auto number = static_cast<long long>(value), greatest = static_cast<long long>(last);
  if (number >= 0 && number <= greatest) return;
  refuse_option(option, std::to_string(number),
                "one of its enumeration, 0 to " + std::to_string(greatest));
}

}  // namespace

void check_options(const Options& options) {
  const AnalysisOptions& analysis = options.analysis;
  check_enumeration("analysis.ordering", analysis.ordering, Ordering::kGiven);
  check_enumeration("analysis.effort", analysis.effort, OrderingEffort::kBest);
  check_at_least("analysis.expected_factorizations", analysis.expected_factorizations, 1);
  check_at_least("analysis.expected_solves", analysis.expected_solves, 1);
  check_enumeration("factor.precision", options.factor.precision, Precision::kMixed);
  check_enumeration("factor.scaling", options.factor.scaling, Scaling::kAlways);
  check_enumeration("solve.error_checks", options.solve.error_checks, ErrorChecks::kNever);
  check_at_least("solve.max_refine_steps", options.solve.max_refine_steps, 0);
  check_at_least("memory.host", options.memory.host, std::int64_t{0});
  check_at_least("memory.device", options.memory.device, std::int64_t{0});
  check_enumeration("engine", options.engine, EngineKind::kOpenCl);
  check_at_least("threads", options.threads, 0);
  // The operators >= and <= would raise a floating-point exception for a NaN.
  const double tolerance = options.solve.tolerance;
  if (!std::isgreaterequal(tolerance, 0.0) || !std::islessequal(tolerance, 1.0)) {
    refuse_option("solve.tolerance", general_text(tolerance, 6), "0 (the default) to 1");
  }
  if (!analysis.permutation.empty() && analysis.ordering != Ordering::kGiven) {
    throw InvalidArgument("Options::analysis.permutation has " +
                          std::to_string(analysis.permutation.size()) +
                          " entries, must be empty unless Options::analysis.ordering is kGiven");
  }
  for (const std::string& device : options.devices) {
    if (device != "auto" && device != "cpu" && !device.empty()) continue;
    throw InvalidArgument("Options::devices has the name '" + device +
                          "', must have names of OpenCL devices; Options::engine says whether the "
                          "CPU or the library's choice is meant");
  }
  if (!options.devices.empty() && options.engine == EngineKind::kCpu) {
    throw InvalidArgument("Options::devices has " + std::to_string(options.devices.size()) +
                          " names, must be empty where Options::engine is kCpu");
  }
}

void check_permutation(const Options& options, Index n) {
  if (options.analysis.ordering != Ordering::kGiven) return;
  const std::vector<Index>& permutation = options.analysis.permutation;
  if (permutation.size() != static_cast<std::size_t>(n)) {
    throw InvalidArgument("Options::analysis.permutation has " +
                          std::to_string(permutation.size()) +
                          " entries, must have n = " + std::to_string(n));
  }
  static_cast<void>(ordering::make_permutation(permutation));
}

}  // namespace clchol::solver
