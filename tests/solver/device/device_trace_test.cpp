// Commands of a device as events of a trace.
#include "solver/device/device_trace.hpp"

#include <gmock/gmock.h>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "solver/device/use_device.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol::solver {
namespace {

using testing::DoubleEq;  // Scaling rounds seconds.
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::VariantWith;

std::int64_t nanoseconds(Trace::Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

TEST(DeviceTrace, DeviceClockIsMovedToTheTracesZero) {
  Trace trace;
  // The device's clock shows 1000 at the trace's zero.
  const gpu::ClockOffset clock{.offset = nanoseconds(trace.zero()) - 1000, .error = 5};
  const std::vector<gpu::LoggedEvent> commands = {
      {.name = "gemm", .queue = "main", .times = {3000, 4000, 6000, 9000}},
      {.name = "upload", .queue = "copies", .times = {1000, 1000, 1000, 1500}, .bytes = 64}};

  add_commands(commands, clock, "GPU", trace);

  const TraceData data = trace.data();
  EXPECT_THAT(data.tracks,
              ElementsAre(TraceTrack{"GPU", "queue main"}, TraceTrack{"GPU", "queue copies"}));
  ASSERT_EQ(data.events.size(), 2U);
  EXPECT_EQ(data.events[0].category, "kernel");
  EXPECT_DOUBLE_EQ(data.events[0].start_s, 5e-6);
  EXPECT_DOUBLE_EQ(data.events[0].duration_s, 3e-6);
  EXPECT_THAT(data.events[0].arguments,
              ElementsAre(Pair("queued_us", VariantWith<double>(DoubleEq(2.0))),
                          Pair("submitted_us", VariantWith<double>(DoubleEq(3.0)))));
  EXPECT_EQ(data.events[1].category, "transfer");
  EXPECT_EQ(data.events[1].track, 1);
  EXPECT_EQ(data.events[1].start_s, 0);
  EXPECT_THAT(data.events[1].arguments.back(),
              Pair("bytes", TraceArgument::second_type(std::int64_t{64})));
}

class DeviceTraceTest : public gpu::OpenClTest {};

TEST_F(DeviceTraceTest, CommandsLieWhereTheHostWaitedForThem) {
  Trace trace;
  gpu::EventLog log;
  queue().set_log(&log);
  const gpu::DeviceBuffer<double> buffer(context(), 1000);
  const double before = trace.now();
  gpu::fill<double>(queue(), buffer, 1.0).wait();
  const double after = trace.now();
  queue().set_log(nullptr);

  const gpu::ClockOffset clock = gpu::measure_clock_offset(queue());
  add_commands(log.take(), clock, device().name(), trace);

  const TraceData data = trace.data();
  ASSERT_EQ(data.events.size(), 1U);
  const TraceEvent& fill = data.events[0];
  // The error of the offset, plus a bound of the drift of the clocks during the test.
  const double allowed = static_cast<double>(clock.error) * 1e-9 + 1e-3;
  EXPECT_GE(fill.start_s, before - allowed);
  EXPECT_LE(fill.start_s + fill.duration_s, after + allowed);
  EXPECT_EQ(fill.name, "fill");
  EXPECT_EQ(data.tracks[0].process, device().name());
}

// Lists the machine's device as a GPU, so that `auto` may choose it.
TEST_F(DeviceTraceTest, ADeviceThatTheLibraryChoosesHasCommands) {
  if (!device().description.fp64) GTEST_SKIP() << "no fp64";
  gpu::DeviceDescription gpu = device().description;
  gpu.kind = gpu::DeviceKind::kGpu;
  gpu.error.clear();
  gpu::DeviceList all;
  all.platforms.push_back({"P", "V", "1", {gpu}, ""});
  const DeviceAccess devices{[&] { return all; },
                             [&](const gpu::DeviceDescription&) {
                               return std::make_shared<gpu::DeviceRuntime>(
                                   device(), gpu::QueueOptions{.name = "main", .profiling = true},
                                   "");
                             }};
  const test::LowerMatrix a = test::grid2d(20, 20);
  const SparseView<double, Offset, Index> view{a.pattern.n, a.pattern.colptr, a.pattern.rowind,
                                               a.values, Triangle::kLower};
  for (const bool large : {false, true}) {
    Options options;
    options.engine = EngineKind::kAuto;
    options.analysis.expected_factorizations = large ? 1000000000 : 1;
    SparseCholesky<double> solver(options);
    solver.analyze(view);
    gpu::EventLog log;

    const OpenDevices opened = open_chosen_devices(solver, devices);
    const OpenDevice chosen = opened.empty() ? nullptr : opened.front();
    if (chosen) chosen->queue().set_log(&log);
    ASSERT_EQ(solver.factorize(view), Status::kOk);

    EXPECT_EQ(chosen != nullptr, large);
    EXPECT_EQ(solver.factor_report().engine, large ? EngineKind::kOpenCl : EngineKind::kCpu);
    if (!chosen) continue;
    EXPECT_THAT(log.take(), Not(IsEmpty()));
    chosen->queue().set_log(nullptr);
  }
}

}  // namespace
}  // namespace clchol::solver
