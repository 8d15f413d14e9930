#include "gpu_kernels/runtime/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kLaunchSource = R"(
typedef struct { int scale; long shift; } Line;

__kernel void apply(Line line, __global const int* x, long x_offset, __global int* y) {
  const int i = get_global_id(0);
  y[i] = line.scale * x[x_offset + i] + (int)line.shift;
}

__kernel void reverse(__local int* room, __global int* x) {
  room[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = room[get_local_size(0) - 1 - get_local_id(0)];
}

__kernel void declared(__global int* x) {
  __local int room[1024];
  room[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = room[get_local_id(0)] + 1;
}

__kernel void place(__global int* x) {
  x[get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) *
      get_global_id(2))] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2);
}
)";

struct Line {
  Index scale;
  Offset shift;
};

class LaunchTest : public OpenClTest {
 protected:
  Kernel kernel(const char* name) {
    return programs().program({"launch_test.cl", kLaunchSource, ""}).kernel(name);
  }
};

TEST_F(LaunchTest, SetsStructsViewsAndBuffers) {
  const DeviceBuffer<Index> x = on_device<Index>({1, 2, 3, 4, 5});
  const DeviceBuffer<Index> y(context(), 3);

  launch(queue(), kernel("apply"), work_groups_of(3, 1), Line{10, 7}, x.part(2, 3), y);

  EXPECT_THAT(on_host(y), ElementsAre(37, 47, 57));
}

TEST_F(LaunchTest, GivesRoomInLocalMemory) {
  const DeviceBuffer<Index> x = on_device<Index>({1, 2, 3, 4});

  launch(queue(), kernel("reverse"), work_groups_of(2, 2), LocalMemory{2 * sizeof(Index)}, x);

  EXPECT_THAT(on_host(x), ElementsAre(2, 1, 4, 3));
}

TEST_F(LaunchTest, RunsGroupsInThreeDimensions) {
  const DeviceBuffer<Index> x(context(), 8);

  launch(queue(), kernel("place"), Grid{{1, 1, 1}, {2, 2, 2}}, x);

  EXPECT_THAT(on_host(x), ElementsAre(0, 1, 10, 11, 100, 101, 110, 111));
}

TEST_F(LaunchTest, EventAndLogKnowTheKernel) {
  EventLog log;
  queue().set_log(&log);
  const DeviceBuffer<Index> x(context(), 8);

  const Event event = launch_event(queue(), kernel("place"), work_groups_of(8, 1), x);

  const std::vector<LoggedEvent> logged = log.take();
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_EQ(logged[0].name, "place");
  EXPECT_EQ(logged[0].times.end, event.times().end);
  queue().set_log(nullptr);
}

TEST_F(LaunchTest, NoGroupsAreNoLaunch) {
  const DeviceBuffer<Index> x(context(), 8);

  EXPECT_TRUE(launch_event(queue(), kernel("place"), covering(0, 8), x).empty());
}

TEST_F(LaunchTest, KernelsKnowTheirNeeds) {
  const Kernel declared = kernel("declared");

  EXPECT_EQ(declared.num_arguments(), 1U);
  EXPECT_GE(declared.max_work_group_size(), 1U);
  EXPECT_GE(declared.preferred_multiple(), 1U);
  if (declared.static_local_bytes() == 0) GTEST_SKIP() << "the driver does not say (PoCL 5)";
  EXPECT_GE(declared.static_local_bytes(), 4096U);
}

TEST_F(LaunchTest, TooFewArgumentsAreRefused) {
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { launch(queue(), kernel("reverse"), work_groups_of(2, 1)); }),
              HasSubstr("kernel reverse: 0 arguments, it has 2"));
}

TEST_F(LaunchTest, TooManyArgumentsAreRefused) {
  const DeviceBuffer<Index> x(context(), 2);
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { launch(queue(), kernel("place"), work_groups_of(2, 1), x, Index{1}); }),
              HasSubstr("kernel place: more than its 1 arguments"));
}

TEST_F(LaunchTest, ArgumentOfAnotherSizeIsRefused) {
  EXPECT_THAT(message_of<DeviceError>(
                  [&] { launch(queue(), kernel("place"), work_groups_of(2, 1), Index{1}); }),
              HasSubstr("clSetKernelArg(place, 0) failed: CL_INVALID_ARG_SIZE"));
}

TEST_F(LaunchTest, AbsurdWorkGroupsAreRefused) {
  const DeviceBuffer<Index> x(context(), 8);
  const Kernel place = kernel("place");
  const auto refusal = [&](std::array<std::uint64_t, 3> local) {
    return message_of<InvalidArgument>([&] { launch(queue(), place, Grid{local, {1, 1, 1}}, x); });
  };

  EXPECT_THAT(refusal({std::uint64_t{1} << 40, 1, 1}), HasSubstr("= 1099511627776, at most"));
  EXPECT_THAT(refusal({1024, 1024, 1024}), HasSubstr("work-group size"));
  EXPECT_THAT(refusal({0, 1, 1}), HasSubstr("work-group of no work-items"));
}

TEST_F(LaunchTest, GlobalSizeThatPasses64BitsIsRefused) {
  const DeviceBuffer<Index> x(context(), 8);

  EXPECT_THAT(message_of<InvalidArgument>([&] {
                launch(queue(), kernel("place"), Grid{{8, 1, 1}, {~std::uint64_t{0}, 1, 1}}, x);
              }),
              HasSubstr("work-groups = 18446744073709551615"));
}

TEST_F(LaunchTest, LocalMemoryAboveTheDevicesIsRefused) {
  const DeviceBuffer<Index> x(context(), 4);
  const std::uint64_t most = device().description.local_memory_bytes;

  EXPECT_THAT(message_of<InvalidArgument>([&] {
                launch(queue(), kernel("reverse"), work_groups_of(2, 2), LocalMemory{most + 1}, x);
              }),
              HasSubstr("local memory, bytes = "));
}

TEST_F(LaunchTest, DeclaredLocalMemoryHasItsOwnLimit) {
  const DeviceBuffer<Index> x = on_device<Index>({1, 2});
  const Kernel declared = kernel("declared");
  if (declared.static_local_bytes() == 0) GTEST_SKIP() << "the driver does not say (PoCL 5)";
  context().set_static_local_bytes(4095);

  EXPECT_THAT(
      message_of<InvalidArgument>([&] { launch(queue(), declared, work_groups_of(2, 1), x); }),
      HasSubstr("local memory declared, bytes = "));

  context().set_static_local_bytes(device().description.local_memory_bytes);
  launch(queue(), declared, work_groups_of(2, 1), x);
  EXPECT_THAT(on_host(x), ElementsAre(2, 3));
}

TEST_F(LaunchTest, QueueOfAnotherContextIsRefused) {
  const Context other(device());
  Queue foreign(other);
  const DeviceBuffer<Index> x(context(), 4);

  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { launch(foreign, kernel("place"), work_groups_of(4, 1), x); }),
              HasSubstr("another context"));
}

TEST(Grid, CoversItemsWithWholeGroups) {
  EXPECT_EQ(covering(0, 8).groups[0], 0U);
  EXPECT_EQ(covering(1, 8).groups[0], 1U);
  EXPECT_EQ(covering(8, 8).groups[0], 1U);
  EXPECT_EQ(covering(9, 8).groups[0], 2U);
  EXPECT_THAT(covering({9, 16, 1}, {8, 8, 1}).groups, ElementsAre(2, 2, 1));
}

}  // namespace
}  // namespace clchol::gpu
