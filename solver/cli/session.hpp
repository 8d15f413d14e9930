// One run of a subcommand that works on a matrix: the arguments, the record of what is known so
// far, the progress bar, the trace, the handling of Ctrl-C, and the report at the end.
//
// The functions are called by one thread, the command's thread, with one exception: if the command
// does not end in time after Ctrl-C, the interrupt is "overdue" (interrupt.hpp), and the watcher
// thread of the Interrupt object prints the record and ends the process.  Therefore the command's
// thread changes the record only under a lock.
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
#include "solver/trace/trace.hpp"

namespace clchol::cli {

/// A phase of a run, for the trace.
struct Phase {
  const char* name;
  double seconds;  // Duration of the phase.
};

class Session {
 public:
  /// Starts the handling of Ctrl-C, so must be called before the process starts other threads.
  /// @param arguments    must outlive the object.
  /// @param since_start  time since the start of the process; must outlive the object.
  Session(const Arguments& arguments, const Timer& since_start);

  const Arguments& arguments() const { return arguments_; }
  Progress& progress() { return progress_; }
  /// @return a flag that becomes true at Ctrl-C or another signal of interrupt.hpp.
  const std::atomic<bool>* cancel() const { return &interrupt_.flag(); }

  /// The record.  Only the command's thread may call this function.
  const Record& record() const { return record_; }
  /// Calls change(record) under the lock.  change() sets members of the record.
  template <class F>
  void update(const F& change) {
    const std::lock_guard lock(mutex_);
    change(record_);
  }

  /// Checks that the output files can be written.  Must be called before the work begins.  If the
  /// check fails or is not made, finish() does not write the file of --report.  Throws
  /// Failure(kUsage).
  void check_outputs();
  /// Throws Failure(kInterrupted) if the process has received a signal of interrupt.hpp.
  void check_interrupt() const;
  /// Calls write(), which writes a file.  An overdue interrupt does not end the process during the
  /// call, so that the file is written whole.  Throws Failure(kUsage) if the file cannot be
  /// written.
  void write_output(const std::function<void()>& write);
  /// The run's trace; null without --trace.
  solver::Trace* trace() { return trace_ ? &*trace_ : nullptr; }
  /// Adds phases to the trace, if there is a trace.  The phases follow one another without a gap,
  /// and the last phase ends at the time of the call.
  void trace_phases(std::initializer_list<Phase> phases);
  /// Writes the trace to the file of --trace; does nothing without --trace.  Throws Failure(kUsage)
  /// if writing fails.
  void write_trace();
  /// Sets Record::total_s to the time since the start of the process.  To be called when the
  /// command has its results.
  void stop_clock();

  /// Ends the run: prints the verdict's message to standard error if the outcome is not kOk, prints
  /// the summary (with --json: the JSON object) to standard output, and writes the file of
  /// --report.
  /// @return the exit code of the process.
  int finish(const Verdict& verdict);

 private:
  // Called by the watcher thread.  Reports the interrupt and ends the process, unless writing_ is
  // true.
  void end_overdue();
  // Does the work of finish() and of end_overdue().  The caller must hold mutex_.
  int report(Verdict verdict);
  // Writes the file of --report.  If this fails, sets `verdict` to the failure, unless `verdict` is
  // a failure already.
  void write_report_file(Verdict& verdict) const;

  const Arguments& arguments_;
  const Timer& since_start_;
  std::optional<solver::Trace> trace_;
  std::mutex mutex_;  // Guards record_, clock_stopped_, outputs_checked_ and writing_.
  Record record_;
  bool clock_stopped_ = false;    // stop_clock() has been called.
  bool outputs_checked_ = false;  // check_outputs() has succeeded.
  // A file is being written, or finish() has begun: an overdue interrupt does not end the process.
  bool writing_ = false;
  Progress progress_;
  Interrupt interrupt_;  // Last member, because its watcher thread uses the other members.
};

}  // namespace clchol::cli
