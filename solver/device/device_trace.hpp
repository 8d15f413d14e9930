// Commands of OpenCL queues on a trace.
#pragma once

#include <span>

#include "gpu_kernels/runtime/device_clock.hpp"
#include "solver/trace.hpp"

namespace clchol::solver {

/// Adds an event for each command: track "queue <name>" of process `device`, category "transfer"
/// for those that move bytes and "kernel" for others, arguments `queued_us` and `submitted_us`
/// (microseconds from the trace's zero) and, of transfers, `bytes`.
/// @param clock  the device's clock beside the host's.
void add_commands(std::span<const gpu::LoggedEvent> commands, const gpu::ClockOffset& clock,
                  const std::string& device, Trace& trace);

/// Adds the host's work between a device's commands: track "host" of process `device`, category
/// "host".
void add_host_work(std::span<const gpu::HostWork> work, const std::string& device, Trace& trace);

}  // namespace clchol::solver
