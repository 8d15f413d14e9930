#include "solver/cli/device/device_session.hpp"

#include <cstdlib>

#include "solver/cli/device/device_choice.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/refusal.hpp"
#include "solver/cli/trace_file.hpp"
#include "solver/device/device_trace.hpp"

namespace clchol::cli {

DeviceSession::DeviceSession(const Arguments& arguments)
    : json_(arguments.json), trace_file_(arguments.trace), interrupt_([this] { end_overdue(); }) {
  if (!trace_file_.empty()) {
    check_writable(trace_file_);
    trace_.emplace();
    trace_->track("host", "cases");  // The first track is shown above the tracks of the device.
  }
  runtime_.emplace(gpu::open_device(choose_opencl_device(arguments.device)),
                   gpu::QueueOptions{.name = "bench", .profiling = true});
  check_interrupt();
}

void DeviceSession::trace_commands(std::span<const gpu::LoggedEvent> commands) {
  if (!trace_) return;
  solver::add_commands(commands, gpu::measure_clock_offset(queue()), device().name(), *trace_);
}

void DeviceSession::write_trace() {
  if (!trace_) return;
  write_whole(
      [&] { write_file([&] { cli::write_trace(trace_file_, trace_->data(), cancel()); }); });
}

void DeviceSession::check_interrupt() const {
  if (interrupt_.flag()) throw Failure(Outcome::kInterrupted, "interrupted");
}

void DeviceSession::print_whole(const std::string& text) {
  write_whole([&] {
    if (print(text)) return;
    check_interrupt();  // An interrupt cancels writes to pipes.
    throw Failure(Outcome::kUsage, "cannot write to standard output");
  });
}

void DeviceSession::end_overdue() {
  const std::lock_guard lock(mutex_);  // Held until the process ends.
  std::_Exit(refuse({Outcome::kInterrupted, "interrupted"}, json_));
}

}  // namespace clchol::cli
