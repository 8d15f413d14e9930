#include "gpu_kernels/runtime/device_clock.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>

#include "base/assert.hpp"

namespace clchol::gpu {
namespace {

constexpr std::size_t kSamples = 8;  // Markers; the first may find the device asleep.

std::int64_t host_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

ClockSample take_sample(Queue& queue) {
  ClockSample sample;
  sample.before = host_nanoseconds();
  const Event marker = queue.timed_marker();
  marker.wait();
  sample.after = host_nanoseconds();
  const EventTimes times = marker.times();
  sample.start = static_cast<std::int64_t>(times.start);
  sample.end = static_cast<std::int64_t>(times.end);
  return sample;
}

}  // namespace

ClockOffset clock_offset(std::span<const ClockSample> samples) {
  CLCHOL_ASSERT(!samples.empty());
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const ClockSample& sample : samples) {
    least = std::max(least, sample.before - sample.start);
    most = std::min(most, sample.after - sample.end);
  }
  const std::int64_t width = most - least;
  return {least + width / 2, (std::abs(width) + 1) / 2};
}

ClockOffset measure_clock_offset(Queue& queue) {
  queue.finish();
  std::array<ClockSample, kSamples> samples;
  for (ClockSample& sample : samples) sample = take_sample(queue);
  return clock_offset(samples);
}

}  // namespace clchol::gpu
