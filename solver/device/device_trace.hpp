// Adds the commands of OpenCL queues, and work of the host for a device, to a trace
// (solver/trace.hpp).  Both come from an EventLog (gpu_kernels/runtime/event.hpp).
#pragma once

#include <span>

#include "gpu_kernels/runtime/device_clock.hpp"
#include "solver/trace.hpp"

namespace clchol::solver {

/// Adds one event to the trace for each command.  The event is on the track "queue <name of the
/// queue>" of the process `device`.  Its category is "transfer" for a command that moves bytes,
/// "kernel" for other commands.  Its arguments are `queued_us` and `submitted_us`, the times when
/// the command was enqueued and submitted (in microseconds since the trace's zero), and `bytes` for
/// a transfer.
/// @param clock   offset between the device's clock and the host's clock.
/// @param device  name of the device in the trace.
void add_commands(std::span<const gpu::LoggedEvent> commands, const gpu::ClockOffset& clock,
                  const std::string& device, Trace& trace);

/// Adds one event to the trace for each element of `work`: time in which the host worked for the
/// device or waited.  The event is on the track HostWork::lane of the process `device`, and has the
/// category "host".
/// @param device  name of the device in the trace.
void add_host_work(std::span<const gpu::HostWork> work, const std::string& device, Trace& trace);

}  // namespace clchol::solver
