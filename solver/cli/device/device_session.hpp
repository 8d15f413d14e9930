// One run of a command on one OpenCL device: context, queue, programs, trace and interrupt.
//
// If a driver does not return in time after an interrupt (from a compiler, from a long kernel), the
// process ends with the message and exit code of an interrupt.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "solver/cli/arguments.hpp"
#include "solver/cli/interrupt.hpp"
#include "solver/trace.hpp"

namespace clchol::cli {

class DeviceSession {
 public:
  /// Opens the device that the arguments name and probes its capabilities.  Must be called before
  /// the process starts other threads.
  /// Throws as choose_opencl_device(), and DeviceError.
  explicit DeviceSession(const Arguments& arguments);

  const gpu::Device& device() const { return runtime_->device(); }
  gpu::Context& context() { return runtime_->context(); }
  /// The session's queue, with profiling enabled.
  gpu::Queue& queue() { return runtime_->queue(); }
  gpu::ProgramCache& programs() { return runtime_->programs(); }
  const gpu::Capabilities& capabilities() const { return runtime_->capabilities(); }
  gpu::WorkGroupLimits work_group_limits() const { return runtime_->work_group_limits(); }
  /// Tuned parameters of the device, from the user's files or as shipped.
  const gpu::Tuning& tuning() const { return runtime_->tuning(); }

  /// The run's trace; null without --trace.
  solver::Trace* trace() { return trace_ ? &*trace_ : nullptr; }
  /// Adds commands of this session's queue to the trace; does nothing without --trace.
  void trace_commands(std::span<const gpu::LoggedEvent> commands);
  /// Writes the trace; does nothing without --trace.  Throws Failure(kUsage) if writing fails.
  void write_trace();

  /// @return a flag that becomes true when the process receives a signal.
  const std::atomic<bool>* cancel() const { return &interrupt_.flag(); }
  /// Throws Failure(kInterrupted) once the process has received a signal.
  void check_interrupt() const;
  /// Prints the whole text; an overdue interrupt waits for the end of the call.  Throws
  /// Failure(kUsage) if writing to standard output fails.
  void print_whole(const std::string& text);
  /// Calls write(); an overdue interrupt waits for the end of the call.
  template <class F>
  void write_whole(const F& write) {
    const std::lock_guard lock(mutex_);
    write();
  }

 private:
  void end_overdue();

  bool json_;
  std::string trace_file_;
  std::optional<solver::Trace> trace_;
  std::mutex mutex_;  // Held while a file or standard output is written.
  // Constructed before the device, because the threads of drivers inherit the blocked signals.
  Interrupt interrupt_;
  std::optional<gpu::DeviceRuntime> runtime_;
};

}  // namespace clchol::cli
