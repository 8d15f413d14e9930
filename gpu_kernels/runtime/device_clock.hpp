// Measures the offset between a device's clock and the host's clock, so that times of events and
// times of host work can be shown on one time axis.
//
// Method: the host enqueues markers (OpenCL's empty commands) in an idle queue, one at a time.  For
// each marker, the host reads the host's clock before the marker is enqueued (`before`), and after
// the host has waited for the marker (`after`).  The marker's event tells the times of the device's
// clock when the marker starts (`start`) and ends (`end`):
//
//   host    before ------------------------- after
//   device            start ------ end
//
// So the offset, host's time minus device's time, is in the interval [before - start, after - end].
// Several markers give several intervals, and the offset is in the intersection of all intervals.
// The method needs only OpenCL 1.2: many drivers lack clGetDeviceAndHostTimer (OpenCL 2.1).
#pragma once

#include <cstdint>
#include <span>

#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// Offset between two clocks.  When the device's clock shows t, the host's
/// std::chrono::steady_clock shows t + offset.
struct ClockOffset {
  std::int64_t offset = 0;  // Nanoseconds.
  std::int64_t error = 0;   // Bound on |offset - true offset|, in nanoseconds.
};

/// Times of one marker, in nanoseconds.
struct ClockSample {
  std::int64_t before = 0;  // Host's clock, before the marker is enqueued.
  std::int64_t start = 0;   // Device's clock, at the marker's start.
  std::int64_t end = 0;     // Device's clock, at the marker's end.
  std::int64_t after = 0;   // Host's clock, when the marker is seen complete.
};

/// Computes the offset from times of markers.  Each sample gives the interval [before - start,
/// after - end], in which the offset lies.
/// @param samples  times of markers.  Must have at least one element.
/// @return the middle of the intersection of all intervals as the offset, and half the width of
///         the intersection as the error.  If the intersection is empty because the clocks drift:
///         the middle and half the width of the gap between the two intervals farthest apart.
ClockOffset clock_offset(std::span<const ClockSample> samples);

/// Measures the offset between the clock of the queue's device and the host's clock.  Waits for all
/// commands of the queue, then enqueues several markers and waits for each marker.  The queue's log
/// does not record the markers.
/// Clocks drift, so the offset should be measured close in time to the events whose times it
/// converts.  Throws DeviceError when an OpenCL call fails, or when the queue has no profiling.
ClockOffset measure_clock_offset(Queue& queue);

}  // namespace clchol::gpu
