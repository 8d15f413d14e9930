// The main program of the command clchol.
#include "base/timer.hpp"
#include "solver/cli/arguments.hpp"
#include "solver/cli/commands.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/refusal.hpp"
#include "solver/cli/session.hpp"

namespace clchol::cli {
namespace {

Verdict run_command(Session& session) {
  switch (session.arguments().command) {
    case Command::kAnalyze:
      return run_analyze(session);
    case Command::kGenerate:
    case Command::kConvert:
      return run_convert(session);
    case Command::kPlot:
      return run_plot(session);
    default:
      return run_solve(session);
  }
}

int run_session(const Arguments& arguments, const Timer& since_start) {
  Session session(arguments, since_start);
  Verdict verdict;
  try {
    verdict = run_command(session);
  } catch (...) {
    verdict = verdict_of_current_exception();
  }
  return session.finish(verdict);
}

int run(int argc, const char* const* argv) {
  const Timer since_start;
  try {
    const std::optional<Arguments> arguments = parse_arguments(argc, argv);
    if (!arguments) return print("") ? 0 : exit_code(Outcome::kUsage);
    if (arguments->command == Command::kDevices) return run_devices(*arguments);
    if (arguments->command == Command::kBenchKernels) return run_bench_kernels(*arguments);
    if (arguments->command == Command::kTune) return run_tune(*arguments);
    return run_session(*arguments, since_start);
  } catch (...) {
    return refuse(verdict_of_current_exception(), mentions_json(argc, argv));
  }
}

}  // namespace
}  // namespace clchol::cli

int main(int argc, char** argv) {
  clchol::cli::prepare_standard_streams();
  return clchol::cli::run(argc, argv);
}
