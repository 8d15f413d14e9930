#include "solver/cli/device_session.hpp"

#include <cstdlib>

#include "solver/cli/device_choice.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/refusal.hpp"

namespace clchol::cli {

DeviceSession::DeviceSession(const Arguments& arguments)
    : json_(arguments.json), interrupt_([this] { end_overdue(); }) {
  runtime_.emplace(gpu::open_device(choose_opencl_device(arguments.device)),
                   gpu::QueueOptions{.name = "bench", .profiling = true});
  check_interrupt();
}

void DeviceSession::check_interrupt() const {
  if (interrupt_.flag()) throw Failure(Outcome::kInterrupted, "interrupted");
}

void DeviceSession::print_whole(const std::string& text) {
  write_whole([&] {
    if (!print(text)) throw Failure(Outcome::kUsage, "cannot write to standard output");
  });
}

void DeviceSession::end_overdue() {
  const std::lock_guard lock(mutex_);  // Held to the end.
  std::_Exit(refuse({Outcome::kInterrupted, "interrupted"}, json_));
}

}  // namespace clchol::cli
