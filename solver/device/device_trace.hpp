// Adds the commands of OpenCL queues, and the host's work between them, to a trace.
#pragma once

#include <span>

#include "gpu_kernels/runtime/device_clock.hpp"
#include "solver/trace.hpp"

namespace clchol::solver {

/// Adds one event for each command, on track "queue <name>" of process `device`.  The category is
/// "transfer" for a command that moves bytes, "kernel" for any other.  The arguments are
/// `queued_us` and `submitted_us` (microseconds from the trace's zero) and, for a transfer,
/// `bytes`.
/// @param clock  offset between the device's clock and the host's clock.
void add_commands(std::span<const gpu::LoggedEvent> commands, const gpu::ClockOffset& clock,
                  const std::string& device, Trace& trace);

/// Adds one event for each entry of `work`, the host's work between a device's commands: on the
/// track HostWork::lane of process `device`, with category "host".
void add_host_work(std::span<const gpu::HostWork> work, const std::string& device, Trace& trace);

}  // namespace clchol::solver
