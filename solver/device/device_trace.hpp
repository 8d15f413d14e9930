// Adds the commands of OpenCL queues, and the bytes in use on a device, to a trace
// (solver/trace/trace.hpp).  Both come from an EventLog (gpu_kernels/runtime/event.hpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/runtime/device_clock.hpp"
#include "solver/trace/memory_trace.hpp"

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

/// Returns changes of memory, with their times on the axis of the trace.
/// @param clock  offset between the device's clock and the host's clock.
std::vector<TraceChange> changes_of(std::span<const gpu::LoggedChange> changes,
                                    const gpu::ClockOffset& clock, const Trace& trace);

}  // namespace clchol::solver
