// The offset between the device's clock and the host's clock.
#include "gpu_kernels/runtime/device_clock.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <vector>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

std::int64_t host_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TEST(ClockOffsetTest, OneSampleGivesTheMiddleOfItsInterval) {
  const ClockSample sample{.before = 1000, .start = 100, .end = 120, .after = 1060};

  // The offset lies between 1000 - 100 and 1060 - 120.
  const ClockOffset found = clock_offset({&sample, 1});

  EXPECT_EQ(found.offset, 920);
  EXPECT_EQ(found.error, 20);
}

TEST(ClockOffsetTest, SamplesNarrowEachOther) {
  const std::vector<ClockSample> samples = {{1000, 100, 100, 1050},    // Offset 900 to 950.
                                            {2000, 1060, 1060, 2100},  // Offset 940 to 1040.
                                            {3000, 2100, 2100, 3100}};

  const ClockOffset found = clock_offset(samples);

  EXPECT_EQ(found.offset, 945);
  EXPECT_EQ(found.error, 5);
}

TEST(ClockOffsetTest, ClocksThatDriftedGiveTheMiddleOfTheGap) {
  const std::vector<ClockSample> samples = {{1000, 100, 100, 1010},     // Offset 900 to 910.
                                            {2000, 1080, 1080, 2010}};  // Offset 920 to 930.

  const ClockOffset found = clock_offset(samples);

  EXPECT_EQ(found.offset, 915);
  EXPECT_EQ(found.error, 5);
}

TEST(ClockOffsetTest, DeviceAheadOfTheHost) {
  const ClockSample sample{.before = 100, .start = 1000, .end = 1000, .after = 102};

  EXPECT_EQ(clock_offset({&sample, 1}).offset, -899);
}

class DeviceClockTest : public OpenClTest {};

TEST_F(DeviceClockTest, CommandsLieBetweenTheHostsLooksAtItsClock) {
  const DeviceBuffer<double> buffer(context(), 1000);
  const ClockOffset clock = measure_clock_offset(queue());
  const std::int64_t before = host_nanoseconds();
  const Event event = fill<double>(queue(), buffer, 1.0);
  event.wait();
  const std::int64_t after = host_nanoseconds();

  const EventTimes times = event.times();

  // The error of the offset, plus the drift of the clocks in that short time.
  const std::int64_t allowed = clock.error + 1'000'000;
  EXPECT_GE(static_cast<std::int64_t>(times.start) + clock.offset, before - allowed);
  EXPECT_LE(static_cast<std::int64_t>(times.end) + clock.offset, after + allowed);
}

TEST_F(DeviceClockTest, MarkersAreNotLogged) {
  EventLog log;
  queue().set_log(&log);

  measure_clock_offset(queue());

  EXPECT_TRUE(log.take().empty());
  queue().set_log(nullptr);
}

TEST_F(DeviceClockTest, QueueWithoutProfilingIsAnError) {
  Queue plain(context());

  EXPECT_THAT(message_of<DeviceError>([&] { measure_clock_offset(plain); }),
              testing::HasSubstr("CL_PROFILING_INFO_NOT_AVAILABLE"));
}

}  // namespace
}  // namespace clchol::gpu
