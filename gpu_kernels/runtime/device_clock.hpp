// The offset between a device's clock and the host's clock, to show both on one time axis.
//
// Method: markers on an idle queue.  The device begins a marker at `start` and ends it at `end` of
// its own clock.  The host enqueues it after `before` and sees it complete before `after` of the
// host's clock:
//
//   host    before ------------------------- after
//   device            start ------ end
//
// So the offset, host minus device, is in [before - start, after - end].  The intersection of these
// intervals over a few markers is at most as wide as the interval of the fastest marker.  The
// method needs only OpenCL 1.2: many drivers lack clGetDeviceAndHostTimer (2.1).
#pragma once

#include <cstdint>
#include <span>

#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// The offset of a device's clock.  The device's time t is the time t + offset of the host's
/// std::chrono::steady_clock.
struct ClockOffset {
  std::int64_t offset = 0;  // Nanoseconds.
  std::int64_t error = 0;   // Most nanoseconds between `offset` and the true offset.
};

/// Times of one marker, in nanoseconds.
struct ClockSample {
  std::int64_t before = 0;  // Host's clock, before the marker is enqueued.
  std::int64_t start = 0;   // Device's clock, at the marker's start.
  std::int64_t end = 0;     // Device's clock, at the marker's end.
  std::int64_t after = 0;   // Host's clock, when the marker is seen complete.
};

/// Returns the middle of the intersection as the offset, and half of its width as the error.  When
/// the intersection is empty because the clocks drift, returns the middle and half width of the
/// gap.
/// @param samples  at least one.
ClockOffset clock_offset(std::span<const ClockSample> samples);

/// Measures the offset: waits for all enqueued commands, then for a few markers, which no log
/// records.  Clocks drift, so call it close in time to the events whose times are converted.
/// Throws DeviceError, also for a queue without profiling, as Event::times().
ClockOffset measure_clock_offset(Queue& queue);

}  // namespace clchol::gpu
