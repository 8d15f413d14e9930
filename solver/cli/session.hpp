// One run of a command on a matrix: arguments, record, progress bar, trace, interrupt and report.
//
// The command's thread writes the record under a lock.  So the watcher thread of the interrupt can
// report the record and end the process if the command does not react to an interrupt in time.
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

/// A phase of a run and its duration in seconds.
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

  /// The record.  Only the command's thread may read it.
  const Record& record() const { return record_; }
  /// Calls change(record) under the lock.
  template <class F>
  void update(const F& change) {
    const std::lock_guard lock(mutex_);
    change(record_);
  }

  /// Checks that the outputs can be written.  Must be called before the work; the report file is
  /// written only after a successful check.  Throws Failure(kUsage).
  void check_outputs();
  /// Throws Failure(kInterrupted) once the process has received a signal.
  void check_interrupt() const;
  /// Calls write(), which writes a file; an overdue interrupt waits for the end of the call.
  /// Throws Failure(kUsage) if the file cannot be written.
  void write_output(const std::function<void()>& write);
  /// The run's trace; null without --trace.
  solver::Trace* trace() { return trace_ ? &*trace_ : nullptr; }
  /// Adds consecutive phases to the trace, the last of which ends at the time of the call.
  void trace_phases(std::initializer_list<Phase> phases);
  /// Writes the trace; does nothing without --trace.  Throws Failure(kUsage) if writing fails.
  void write_trace();
  /// Sets Record::total_s.  Called when the command has its results.
  void stop_clock();

  /// Prints the error line, and the summary or JSON; writes the report file.
  /// @return the exit code.
  int finish(const Verdict& verdict);

 private:
  void end_overdue();
  int report(Verdict verdict);
  void write_report_file(Verdict& verdict) const;

  const Arguments& arguments_;
  const Timer& since_start_;
  std::optional<solver::Trace> trace_;
  std::mutex mutex_;  // Guards record_, clock_stopped_, outputs_checked_ and writing_.
  Record record_;
  bool clock_stopped_ = false;
  bool outputs_checked_ = false;
  bool writing_ = false;  // A file is being written: an overdue interrupt must wait.
  Progress progress_;
  Interrupt interrupt_;  // Last member, because its thread uses the other members.
};

}  // namespace clchol::cli
