#include "solver/cli/session.hpp"

#include <cstdlib>
#include <filesystem>

#include "base/memory_info.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/summary.hpp"
#include "solver/cli/trace_file.hpp"
#include "solver/matrix_market/output.hpp"

namespace clchol::cli {
namespace {

const char* name_of(Command command) {
  switch (command) {
    case Command::kSolve:
      return "solve";
    case Command::kAnalyze:
      return "analyze";
    case Command::kGenerate:
      return "generate";
    case Command::kConvert:
      return "convert";
    case Command::kPlot:
      return "plot";
    case Command::kBenchKernels:
    case Command::kTune:
    case Command::kDevices:
      break;
  }
  return "devices";
}

}  // namespace

Session::Session(const Arguments& arguments, const Timer& since_start)
    : arguments_(arguments),
      since_start_(since_start),
      progress_(!arguments.quiet && !arguments.json),
      interrupt_([this] { end_overdue(); }) {
  if (!arguments.trace.empty()) trace_.emplace();
  update([&](Record& r) {
    r.command = name_of(arguments.command);
    if (!arguments.matrix.empty()) {
      r.matrix = std::filesystem::path(arguments.matrix).filename().string();
    }
    if (!arguments.what.empty()) r.drawing = arguments.what;
    const std::string& output =
        arguments.converted.empty() ? arguments.drawing : arguments.converted;
    if (output.empty()) {
      r.precision = arguments.precision;
    } else {
      r.output = std::filesystem::path(output).filename().string();
    }
    if (arguments.memory.host > 0) r.host_memory_limit = arguments.memory.host;
    if (arguments.memory.device > 0) r.device_memory_limit = arguments.memory.device;
  });
}

void Session::check_outputs() {
  cli::check_outputs(arguments_);
  const std::lock_guard lock(mutex_);
  outputs_checked_ = true;
}

void Session::check_interrupt() const {
  if (interrupt_.flag()) throw Failure(Outcome::kInterrupted, "interrupted");
}

void Session::write_output(const std::function<void()>& write) {
  auto set_writing = [this](bool writing) {
    const std::lock_guard lock(mutex_);
    writing_ = writing;
  };
  set_writing(true);
  try {
    write_file(write);
  } catch (...) {
    set_writing(false);
    check_interrupt();  // An interrupt cancels writes to pipes.
    throw;
  }
  set_writing(false);
}

void Session::trace_phases(std::initializer_list<Phase> phases) {
  if (!trace_) return;
  const Index track = trace_->track("host", "phases");
  double start = trace_->now();
  for (const Phase& phase : phases) start -= phase.seconds;
  for (const Phase& phase : phases) {
    if (phase.seconds > 0) {
      trace_->add({.name = phase.name,
                   .category = "phase",
                   .track = track,
                   .start_s = start,
                   .duration_s = phase.seconds});
    }
    start += phase.seconds;
  }
}

void Session::write_trace() {
  if (!trace_) return;
  write_output([&] { cli::write_trace(arguments_.trace, trace_->data(), cancel()); });
}

void Session::stop_clock() {
  const std::lock_guard lock(mutex_);
  record_.total_s = since_start_.seconds();
  clock_stopped_ = true;
}

int Session::finish(const Verdict& verdict) {
  const std::lock_guard lock(mutex_);
  writing_ = true;  // An overdue interrupt does not end the process any more.
  return report(verdict);
}

void Session::end_overdue() {
  // Held until the process ends, so that no other thread reports.
  const std::lock_guard lock(mutex_);
  if (writing_) return;
  std::_Exit(report({Outcome::kInterrupted, "interrupted"}));
}

int Session::report(Verdict verdict) {
  progress_.stop();
  if (!clock_stopped_) record_.total_s = since_start_.seconds();
  record_.peak_host_bytes = resident_bytes().peak;
  write_report_file(verdict);
  record_.verdict = verdict;
  if (verdict.outcome != Outcome::kOk) print_error(verdict.message);

  std::string text;
  if (arguments_.json) {
    text = to_line(to_json(record_)) + "\n";
  } else if (!arguments_.quiet && (record_.solution || verdict.outcome == Outcome::kOk)) {
    text = record_.drawing ? drawing_line(record_) : summary(record_);
  }
  if (!print(text)) {
    print_error("cannot write to standard output");
    if (verdict.outcome == Outcome::kOk) {
      return exit_code(interrupt_.flag() ? Outcome::kInterrupted : Outcome::kUsage);
    }
  }
  return exit_code(verdict.outcome);
}

void Session::write_report_file(Verdict& verdict) const {
  if (arguments_.report.empty() || !outputs_checked_) return;
  try {
    Record reported = record_;
    reported.verdict = verdict;
    write_file([&] {
      solver::OutputFile file(arguments_.report, 1, cancel());
      file.append(to_line(to_json(reported)) + "\n");
      file.commit();
    });
  } catch (...) {
    // An earlier failure takes precedence.
    if (verdict.outcome != Outcome::kOk) return;
    verdict = verdict_of_current_exception();
    // An interrupt cancels writes to pipes.
    if (interrupt_.flag()) verdict = {Outcome::kInterrupted, "interrupted"};
  }
}

}  // namespace clchol::cli
