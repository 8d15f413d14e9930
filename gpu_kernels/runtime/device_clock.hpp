// Measures the offset between a device's clock and the host's clock, so that times of events and
// times of host work can be shown on one time axis.
//
// Method: the host enqueues markers (OpenCL's empty commands) on an idle queue, one at a time.  For
// each marker it reads its own clock before the marker is enqueued (`before`), and after it has
// waited for the marker (`after`).  The marker's event tells when the marker starts (`start`) and
// ends (`end`) by the device's clock:
//
//   host    before ------------------------- after
//   device            start ------ end
//
// So the offset, host's time minus device's time, is in the interval [before - start, after - end].
// Several markers give several intervals, and the offset is in the intersection of all.  The method
// needs only OpenCL 1.2: many drivers lack clGetDeviceAndHostTimer (OpenCL 2.1).
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

/// Computes the offset from times of markers.
/// @param samples  one sample or more, each of which gives an interval (see above).
/// @return the middle of the intervals' intersection as the offset, and half the width of the
///         intersection as the error.  If the intersection is empty because the clocks drift: the
///         middle and half the width of the gap between the two intervals farthest apart.
ClockOffset clock_offset(std::span<const ClockSample> samples);

/// Measures the offset of the clock of the queue's device.  Waits for all enqueued commands, then
/// enqueues several markers and waits for each.  The queue's log does not record the markers.
/// Clocks drift, so the offset should be measured close in time to the events whose times it
/// converts.  Throws DeviceError when an OpenCL call fails, or when the queue has no profiling.
ClockOffset measure_clock_offset(Queue& queue);

}  // namespace clchol::gpu
