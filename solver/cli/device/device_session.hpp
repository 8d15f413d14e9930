// One run of `clchol bench kernels` or `clchol tune` on one OpenCL device: context, queue, program
// cache, trace and interrupt.
//
// An interrupt (Ctrl-C, see interrupt.hpp) sets a flag, which the run checks between its steps.  A
// driver may stay long in one step, in a compilation or in a kernel.  Then the interrupt is
// "overdue", and the watcher thread of the Interrupt object ends the process with the message and
// the exit code of an interrupt.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "solver/cli/arguments.hpp"
#include "solver/cli/interrupt.hpp"
#include "solver/trace/trace.hpp"

namespace clchol::cli {

class DeviceSession {
 public:
  /// Opens the device that arguments.device names, and probes the device's capabilities.  Must be
  /// called before the process starts other threads.
  /// Throws as choose_opencl_device(), and DeviceError.
  explicit DeviceSession(const Arguments& arguments);

  const gpu::Device& device() const { return runtime_->device(); }
  gpu::Context& context() { return runtime_->context(); }
  /// The session's queue, with profiling enabled.
  gpu::Queue& queue() { return runtime_->queue(); }
  gpu::ProgramCache& programs() { return runtime_->programs(); }
  const gpu::Capabilities& capabilities() const { return runtime_->capabilities(); }
  gpu::WorkGroupLimits work_group_limits() const { return runtime_->work_group_limits(); }
  /// Tuned parameters of kernels for the device: the user's tuning files and those of the library.
  const gpu::Tuning& tuning() const { return runtime_->tuning(); }

  /// The run's trace; null without --trace.
  solver::Trace* trace() { return trace_ ? &*trace_ : nullptr; }
  /// Adds commands of this session's queue to the trace; does nothing without --trace.
  void trace_commands(std::span<const gpu::LoggedEvent> commands);
  /// Writes the trace to the file of --trace; does nothing without --trace.  Throws Failure(kUsage)
  /// if writing fails.
  void write_trace();

  /// @return a flag that becomes true at an interrupt.
  const std::atomic<bool>* cancel() const { return &interrupt_.flag(); }
  /// Throws Failure(kInterrupted) if there was an interrupt.
  void check_interrupt() const;
  /// Prints the text to standard output.  An overdue interrupt does not end the process during the
  /// call, so that the text is printed whole.  Throws Failure(kUsage) if printing fails.
  void print_whole(const std::string& text);
  /// Calls write(), which writes a file.  An overdue interrupt does not end the process during the
  /// call, so that the file is written whole.
  template <class F>
  void write_whole(const F& write) {
    const std::lock_guard lock(mutex_);
    write();
  }

 private:
  // Reports the interrupt and ends the process.  Waits for mutex_.
  void end_overdue();

  bool json_;               // Whether the end of the process is reported as JSON.
  std::string trace_file_;  // File of --trace; empty: none.
  std::optional<solver::Trace> trace_;
  std::mutex mutex_;  // Held while a file or standard output is written.
  // Declared before runtime_: the constructor of Interrupt blocks signals, and the threads that a
  // driver starts when the device is opened must inherit the blocked signals.
  Interrupt interrupt_;
  std::optional<gpu::DeviceRuntime> runtime_;
};

}  // namespace clchol::cli
