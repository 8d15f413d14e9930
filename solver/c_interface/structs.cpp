#include "solver/c_interface/structs.hpp"

#include "solver/c_interface/option_texts.hpp"

namespace clchol::solver {
namespace {

// The values of the enumerations in C are those in C++.
#define CLCHOL_SAME(c, cxx) static_assert(static_cast<int>(cxx) == (c))
CLCHOL_SAME(CLCHOL_NOT_POSITIVE_DEFINITE, Status::kNotPositiveDefinite);
CLCHOL_SAME(CLCHOL_ACCURACY_NOT_REACHED, Status::kAccuracyNotReached);
CLCHOL_SAME(CLCHOL_SINGULAR, Status::kSingular);
CLCHOL_SAME(CLCHOL_INTERRUPTED, Status::kInterrupted);
CLCHOL_SAME(CLCHOL_LOWER, Triangle::kLower);
CLCHOL_SAME(CLCHOL_UPPER, Triangle::kUpper);
CLCHOL_SAME(CLCHOL_BOTH, Triangle::kBoth);
CLCHOL_SAME(CLCHOL_ORDERING_AUTO, Ordering::kAuto);
CLCHOL_SAME(CLCHOL_ORDERING_AMD, Ordering::kAmd);
CLCHOL_SAME(CLCHOL_ORDERING_MINIMUM_DEGREE, Ordering::kMinimumDegree);
CLCHOL_SAME(CLCHOL_ORDERING_MULTIPLE_MINIMUM_DEGREE, Ordering::kMultipleMinimumDegree);
CLCHOL_SAME(CLCHOL_ORDERING_NESTED_DISSECTION, Ordering::kNestedDissection);
CLCHOL_SAME(CLCHOL_ORDERING_NATURAL, Ordering::kNatural);
CLCHOL_SAME(CLCHOL_ORDERING_GIVEN, Ordering::kGiven);
CLCHOL_SAME(CLCHOL_EFFORT_FAST, OrderingEffort::kFast);
CLCHOL_SAME(CLCHOL_EFFORT_BALANCED, OrderingEffort::kBalanced);
CLCHOL_SAME(CLCHOL_EFFORT_BEST, OrderingEffort::kBest);
CLCHOL_SAME(CLCHOL_PRECISION_AUTO, Precision::kAuto);
CLCHOL_SAME(CLCHOL_PRECISION_DOUBLE, Precision::kDouble);
CLCHOL_SAME(CLCHOL_PRECISION_SINGLE, Precision::kSingle);
CLCHOL_SAME(CLCHOL_PRECISION_MIXED, Precision::kMixed);
CLCHOL_SAME(CLCHOL_SCALING_NEVER, Scaling::kNever);
CLCHOL_SAME(CLCHOL_SCALING_AUTO, Scaling::kAuto);
CLCHOL_SAME(CLCHOL_SCALING_ALWAYS, Scaling::kAlways);
CLCHOL_SAME(CLCHOL_CHECKS_AUTO, ErrorChecks::kAuto);
CLCHOL_SAME(CLCHOL_CHECKS_EVERY_SOLVE, ErrorChecks::kEverySolve);
CLCHOL_SAME(CLCHOL_CHECKS_FIRST_SOLVE, ErrorChecks::kFirstSolve);
CLCHOL_SAME(CLCHOL_CHECKS_NEVER, ErrorChecks::kNever);
CLCHOL_SAME(CLCHOL_ENGINE_AUTO, EngineKind::kAuto);
CLCHOL_SAME(CLCHOL_ENGINE_CPU, EngineKind::kCpu);
CLCHOL_SAME(CLCHOL_ENGINE_OPENCL, EngineKind::kOpenCl);
CLCHOL_SAME(CLCHOL_PART_PERMUTE, Part::kPermute);
CLCHOL_SAME(CLCHOL_PART_FORWARD, Part::kForward);
CLCHOL_SAME(CLCHOL_PART_BACKWARD, Part::kBackward);
CLCHOL_SAME(CLCHOL_PART_UNPERMUTE, Part::kUnpermute);
#undef CLCHOL_SAME

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

/// The value, or -1 where there is none.
double value_or_minus_one(const std::optional<double>& value) { return value.value_or(-1); }

}  // namespace

clchol_options c_options(const Options& options, OptionTexts& texts) {
  texts.scratch_directory = options.memory.scratch_directory;
  texts.devices = text_of_devices(options.devices);
  clchol_options c{};
  c.size = sizeof c;
  c.ordering = static_cast<int>(options.analysis.ordering);
  c.effort = static_cast<int>(options.analysis.effort);
  c.seed = options.analysis.seed;
  c.expected_factorizations = options.analysis.expected_factorizations;
  c.expected_solves = options.analysis.expected_solves;
  c.compress = options.analysis.compress ? 1 : 0;
  c.amalgamate = options.analysis.amalgamate ? 1 : 0;
  c.precision = static_cast<int>(options.factor.precision);
  c.scaling = static_cast<int>(options.factor.scaling);
  c.estimate_condition = options.factor.estimate_condition ? 1 : 0;
  c.tolerance = options.solve.tolerance;
  c.max_refine_steps = options.solve.max_refine_steps;
  c.error_checks = static_cast<int>(options.solve.error_checks);
  c.threads = options.threads;
  c.host_bytes = options.memory.host;
  c.device_bytes = options.memory.device;
  c.scratch_directory = texts.scratch_directory.c_str();
  c.engine = static_cast<int>(options.engine);
  c.devices = texts.devices.c_str();
  return c;
}

void set_c_options(Options& options, const clchol_options& values) {
  // Texts first: to copy them may fail, and options then are as they were.
  std::string scratch_directory = text_or_empty(values.scratch_directory);
  std::vector<std::string> devices = devices_of_text(text_or_empty(values.devices));
  options.memory.scratch_directory = std::move(scratch_directory);
  options.devices = std::move(devices);
  options.analysis.ordering = static_cast<Ordering>(values.ordering);
  options.analysis.effort = static_cast<OrderingEffort>(values.effort);
  options.analysis.seed = values.seed;
  options.analysis.expected_factorizations = values.expected_factorizations;
  options.analysis.expected_solves = values.expected_solves;
  options.analysis.compress = values.compress != 0;
  options.analysis.amalgamate = values.amalgamate != 0;
  options.factor.precision = static_cast<Precision>(values.precision);
  options.factor.scaling = static_cast<Scaling>(values.scaling);
  options.factor.estimate_condition = values.estimate_condition != 0;
  options.solve.tolerance = values.tolerance;
  options.solve.max_refine_steps = values.max_refine_steps;
  options.solve.error_checks = static_cast<ErrorChecks>(values.error_checks);
  options.threads = values.threads;
  options.memory.host = values.host_bytes;
  options.memory.device = values.device_bytes;
  options.engine = static_cast<EngineKind>(values.engine);
}

clchol_analysis_report c_report(const AnalysisReport& report) {
  clchol_analysis_report c{};
  c.size = sizeof c;
  c.n = report.n;
  c.nnz = report.nnz;
  c.ordering = static_cast<int>(report.ordering);
  c.effort = static_cast<int>(report.ordering_effort);
  c.compressed_n = report.compressed_n;
  c.nnz_l = report.nnz_l;
  c.nnz_stored = report.nnz_stored;
  c.flops = report.flops;
  c.flops_stored = report.flops_stored;
  c.supernodes = report.supernodes;
  c.tree_height = report.tree_height;
  c.largest_front = report.largest_front;
  c.factor_bytes = report.factor_bytes;
  c.workspace_bytes = report.workspace_bytes;
  c.solver_host_bytes = report.solver_host_bytes;
  c.predicted_host_bytes = report.predicted_host_bytes;
  c.solve_bytes_per_rhs = report.solve_bytes_per_rhs;
  c.loaded = report.loaded ? 1 : 0;
  c.order_s = report.order_s;
  c.symbolic_s = report.symbolic_s;
  return c;
}

clchol_factor_report c_report(const FactorReport& report) {
  clchol_factor_report c{};
  c.size = sizeof c;
  c.status = static_cast<int>(report.status);
  c.precision = static_cast<int>(report.precision);
  c.fell_back_to_double = report.fell_back_to_double ? 1 : 0;
  c.scaled = report.scaled ? 1 : 0;
  c.row = report.row;
  c.pivot = report.pivot;
  c.diagonal = report.diagonal;
  c.asymmetry = value_or_minus_one(report.asymmetry);
  c.rcond = value_or_minus_one(report.rcond);
  c.engine = static_cast<int>(report.engine);
  c.loaded = report.loaded ? 1 : 0;
  c.threads = report.threads;
  c.predicted_device_bytes = report.predicted_device_bytes;
  c.peak_device_bytes = report.peak_device_bytes;
  c.streamed_bytes = report.device_setup.streamed_bytes;
  c.file_bytes = report.file_bytes;
  c.setup_s = report.setup_s;
  c.factor_s = report.factor_s;
  return c;
}

clchol_solve_report c_report(const SolveReport& report) {
  clchol_solve_report c{};
  c.size = sizeof c;
  c.status = static_cast<int>(report.status);
  c.engine = static_cast<int>(report.engine);
  c.refine_steps = report.refine_steps;
  c.backward_error = value_or_minus_one(report.backward_error);
  c.componentwise_error = value_or_minus_one(report.componentwise_error);
  c.peak_device_bytes = report.peak_device_bytes;
  c.solve_s = report.solve_s;
  c.refine_s = report.refine_s;
  return c;
}

}  // namespace clchol::solver
