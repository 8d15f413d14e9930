// How a device's clock stands to the host's, so that both appear on one time axis.
//
// Method: markers on an idle queue.  One that the device begins at `start` and ends at `end` of its
// own clock was enqueued after `before` and seen complete before `after` of the host's clock, so
// that the offset, host minus device, lies in [before - start, after - end].  The intersection over
// a few markers is as narrow as the fastest of them.  Needs no more than OpenCL 1.2, where
// clGetDeviceAndHostTimer (2.1) is missing from many drivers.
#pragma once

#include <cstdint>
#include <span>

#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// Nanoseconds.  A device's time t is t + offset of the host's std::chrono::steady_clock.
struct ClockOffset {
  std::int64_t offset = 0;
  std::int64_t error = 0;  // The true one is not farther away.
};

/// One marker, in nanoseconds.
struct ClockSample {
  std::int64_t before = 0;  // Of the host's clock.
  std::int64_t start = 0;   // Of the device's clock.
  std::int64_t end = 0;     // Of the device's clock.
  std::int64_t after = 0;   // Of the host's clock.
};

/// The middle of the intersection, and half of its width.  Where clocks drift it may be empty: the
/// middle of the gap then.  @param samples  at least one.
ClockOffset clock_offset(std::span<const ClockSample> samples);

/// Waits for all that was enqueued, then for a few markers, which no log records.  Clocks drift: to
/// be called near the events that are to be placed.
/// Throws DeviceError, and as Event::times() for a queue without profiling.
ClockOffset measure_clock_offset(Queue& queue);

}  // namespace clchol::gpu
