// One run of a command on a matrix: its arguments, its record, its progress bar, its end.
//
// The record is written by the command's thread under a lock, so that an interrupt that the command
// does not answer in time can still report what is known, and end the process.
#pragma once

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <optional>

#include "base/timer.hpp"
#include "solver/cli/arguments.hpp"
#include "solver/cli/interrupt.hpp"
#include "solver/cli/progress.hpp"
#include "solver/cli/record.hpp"
#include "solver/trace.hpp"

namespace clchol::cli {

/// A part of a run, and how long it took.
struct Phase {
  const char* name;
  double seconds;
};

class Session {
 public:
  Session(const Arguments& arguments, const Timer& since_start);

  const Arguments& arguments() const { return arguments_; }
  Progress& progress() { return progress_; }
  const std::atomic<bool>* cancel() const { return &interrupt_.flag(); }

  /// To be read by the command's thread alone.
  const Record& record() const { return record_; }
  /// Calls change(record).
  template <class F>
  void update(const F& change) {
    const std::lock_guard lock(mutex_);
    change(record_);
  }

  /// Tries the outputs, before the work; only then is a report file ever written.
  /// Throws Failure(kUsage).
  void check_outputs();
  /// Throws Failure(kInterrupted) once the flag is set.
  void check_interrupt() const;
  /// Writes a file, which an overdue interrupt waits for.
  /// Throws Failure(kUsage) when it cannot be written.
  void write_output(const std::function<void()>& write);
  /// The run's trace; null unless one is asked for.
  solver::Trace* trace() { return trace_ ? &*trace_ : nullptr; }
  /// Notes, for a trace, phases one after another, the last of which ends now.
  void trace_phases(std::initializer_list<Phase> phases);
  /// Writes the trace, if one is asked for.  Throws Failure(kUsage) when it cannot be written.
  void write_trace();
  /// Results are there: total_s is taken.
  void stop_clock();

  /// Prints error line, summary or JSON, writes the report file.  @return the exit code.
  int finish(const Verdict& verdict);

 private:
  void end_overdue();
  int report(Verdict verdict);
  void write_report_file(Verdict& verdict) const;

  const Arguments& arguments_;
  const Timer& since_start_;
  std::optional<solver::Trace> trace_;
  std::mutex mutex_;  // Guards the three below.
  Record record_;
  bool clock_stopped_ = false;
  bool outputs_checked_ = false;
  bool writing_ = false;  // A file is being written: not a moment to end the process.
  Progress progress_;
  Interrupt interrupt_;  // Last: its thread uses all the others.
};

}  // namespace clchol::cli
