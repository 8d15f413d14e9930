// clchol bench kernels: measures the rates of kernels on a device and compares them with its peaks.
#include <algorithm>

#include "solver/cli/commands.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/measure.hpp"
#include "solver/cli/kernel_bench/report.hpp"
#include "solver/cli/output.hpp"

namespace clchol::cli {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether to measure a case.  Peaks are always measured, for comparison.
bool is_wanted(const Case& c, const Arguments& arguments) {
  const std::string& precision = arguments.kernel_precision;
  if (precision != "both" && c.precision != precision) return false;
  return is_peak(c) || (arguments.kernels.empty() && !c.on_request) ||
         contains(arguments.kernels, c.kernel);
}

/// The cases that failed or gave wrong results.
struct Defects {
  int failed = 0, wrong = 0;  // Numbers of cases.
  std::string first;          // Description of the first such case.

  void count(const Case& c, const Measurement& measured) {
    if (measured.status == MeasureStatus::kFailed) ++failed;
    if (measured.status == MeasureStatus::kWrong) ++wrong;
    if (failed + wrong == 1 && first.empty()) {
      first =
          c.kernel + " " + c.variant + " " + c.precision + " " + c.shape + ": " + measured.reason;
    }
  }
  /// Throws Failure if a case failed or was wrong.
  void refuse() const {
    if (failed + wrong == 0) return;
    const std::string counts =
        std::to_string(wrong) + " wrong, " + std::to_string(failed) + " failed; the first: ";
    throw Failure(wrong > 0 ? Outcome::kAccuracyNotReached : Outcome::kDeviceFailure,
                  "kernels: " + counts + first);
  }
};

/// Calls measure() and, if the session has a trace, adds an event for the call.
Measurement measured_case(DeviceSession& session, const Case& c, const Effort& effort) {
  solver::Trace* const trace = session.trace();
  const double start = trace == nullptr ? 0 : trace->now();
  Measurement measured = measure(session, c, effort);
  if (trace == nullptr) return measured;
  solver::TraceEvent event{.name = c.kernel + " " + c.variant,
                           .category = "case",
                           .track = trace->track("host", "cases"),
                           .start_s = start,
                           .duration_s = trace->now() - start};
  event.arguments = {{"precision", c.precision}, {"shape", c.shape}};
  trace->add(std::move(event));
  return measured;
}

}  // namespace

int run_bench_kernels(const Arguments& arguments) {
  check_kernel_names(arguments.kernels, kernel_names());
  DeviceSession session(arguments);
  const bool table = !arguments.json && !arguments.quiet;
  if (table) session.print_whole(table_head(session.device()));
  const Effort effort = arguments.quick ? kQuickEffort : Effort();
  Peaks peaks;
  Defects defects;
  for (const Case& c : all_cases(arguments.quick)) {
    if (!is_wanted(c, arguments)) continue;
    const Measurement measured = measured_case(session, c, effort);
    if (is_peak(c)) peaks.take(c, measured);
    defects.count(c, measured);
    const std::optional<double> share = peaks.share(c, measured);
    if (arguments.json) session.print_whole(json_line(session.device(), c, measured, share));
    if (!table) continue;
    session.print_whole(table_line(c, measured, share));
    if (measured.status == MeasureStatus::kFailed) print_log(measured.reason);
  }
  session.write_trace();
  defects.refuse();
  return exit_code(Outcome::kOk);
}

}  // namespace clchol::cli
