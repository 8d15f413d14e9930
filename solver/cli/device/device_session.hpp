// One run of a command on one OpenCL device: the device with what kernels need, and its interrupt.
//
// Where a driver does not answer an interrupt in time (a compiler, a long kernel), the process ends
// with the interrupt's message and exit code.
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
  /// Opens the device that the arguments name and probes what it can do.  To be made before any
  /// other thread is started.
  /// Throws as choose_opencl_device(), and DeviceError.
  explicit DeviceSession(const Arguments& arguments);

  const gpu::Device& device() const { return runtime_->device(); }
  gpu::Context& context() { return runtime_->context(); }
  /// With profiling.
  gpu::Queue& queue() { return runtime_->queue(); }
  gpu::ProgramCache& programs() { return runtime_->programs(); }
  const gpu::Capabilities& capabilities() const { return runtime_->capabilities(); }
  gpu::WorkGroupLimits work_group_limits() const { return runtime_->work_group_limits(); }
  /// What was tuned for the device, by the user or as shipped.
  const gpu::Tuning& tuning() const { return runtime_->tuning(); }

  /// The run's trace; null unless --trace asks for one.
  solver::Trace* trace() { return trace_ ? &*trace_ : nullptr; }
  /// Adds commands of this session's queues to the trace, if there is one.
  void trace_commands(std::span<const gpu::LoggedEvent> commands);
  /// Writes the trace, if there is one.  Throws Failure(kUsage) when it cannot be written.
  void write_trace();

  /// Turns true when a signal has come.
  const std::atomic<bool>* cancel() const { return &interrupt_.flag(); }
  /// Throws Failure(kInterrupted) once a signal has come.
  void check_interrupt() const;
  /// Prints all of the text, which an overdue interrupt waits for.  Throws Failure(kUsage) when
  /// standard output takes no more.
  void print_whole(const std::string& text);
  /// Calls write(), which an overdue interrupt waits for.
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
  std::mutex mutex_;     // Held while something is written.
  Interrupt interrupt_;  // Before the device: drivers start threads, which inherit the signals.
  std::optional<gpu::DeviceRuntime> runtime_;
};

}  // namespace clchol::cli
