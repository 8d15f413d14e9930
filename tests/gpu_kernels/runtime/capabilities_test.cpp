#include "gpu_kernels/runtime/capabilities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/devices/embedded_text.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kProbedSource =
    "__kernel void probe(__global int* out) { out[get_global_id(0)] += VALUE; }\n";

class CapabilitiesTest : public OpenClTest {
 protected:
  Capability run(std::string_view options, std::vector<Index> expected) {
    return run_probe(
        programs(), queue(),
        {{"test.cl", kProbedSource, options}, work_groups_of(2, 1), {10, 20}, expected});
  }
};

TEST_F(CapabilitiesTest, RightResultIsPresent) {
  const Capability found = run("-DVALUE=1", {11, 21});

  EXPECT_TRUE(found.present);
  EXPECT_EQ(found.reason, "");
}

TEST_F(CapabilitiesTest, WrongResultIsAbsentAndNamed) {
  const Capability found = run("-DVALUE=1", {11, 22});

  EXPECT_FALSE(found.present);
  EXPECT_EQ(found.reason, "wrong result: entry 1 is 21 instead of 22");
}

TEST_F(CapabilitiesTest, FailedBuildIsAbsentWithItsLog) {
  const Capability found = run("-DVALUE=undeclared", {11, 21});

  EXPECT_FALSE(found.present);
  EXPECT_THAT(found.reason, StartsWith("clBuildProgram failed"));
  EXPECT_THAT(found.reason, HasSubstr("undeclared"));
}

TEST_F(CapabilitiesTest, ImpossibleLaunchIsAbsent) {
  const Probe probe{
      {"test.cl", kProbedSource, "-DVALUE=1"}, work_groups_of(1 << 30, 1), {10}, {11}};

  EXPECT_THAT(run_probe(programs(), queue(), probe).reason, HasSubstr("work-group size"));
}

TEST_F(CapabilitiesTest, EveryAbsenceHasAReasonAndNoPresenceHas) {
  const Capabilities found = probe_capabilities(programs(), queue());

  for (const Capability* capability :
       {&found.fp64, &found.inline_ptx, &found.warp_shuffle, &found.mma_m8n8k4, &found.mma_m16n8k16,
        &found.async_copy, &found.bulk_copy, &found.forward_progress}) {
    EXPECT_EQ(capability->reason.empty(), capability->present) << capability->reason;
    EXPECT_NE(capability->reason, "not probed");
  }
}

TEST_F(CapabilitiesTest, Fp64IsWhatTheDeviceSays) {
  EXPECT_EQ(probe_capabilities(programs(), queue()).fp64.present, device().description.fp64);
}

TEST_F(CapabilitiesTest, DeviceWithoutFp64IsDescribedAsSuch) {
  Device without = device();
  without.description.fp64 = false;
  const Context poorer(without);
  Queue poorer_queue(poorer);
  ProgramCache poorer_programs(poorer, "");

  const Capabilities found = probe_capabilities(poorer_programs, poorer_queue);

  EXPECT_FALSE(found.fp64.present);
  EXPECT_EQ(found.fp64.reason, "the device has no double precision");
  EXPECT_FALSE(found.mma_m8n8k4.present);
}

TEST_F(CapabilitiesTest, CpuDevicesHaveNeitherPtxNorWaiting) {
  if (device().description.kind != DeviceKind::kCpu) GTEST_SKIP() << "not a CPU device";

  const Capabilities found = probe_capabilities(programs(), queue());

  EXPECT_EQ(found.inline_ptx.reason, "not NVIDIA's driver");
  EXPECT_EQ(found.forward_progress.reason, "tried on GPUs alone");
}

TEST_F(CapabilitiesTest, LimitsAreAtLeastWhatTheDeviceReports) {
  const Capabilities found = probe_capabilities(programs(), queue());

  EXPECT_GE(found.static_local_bytes, device().description.local_memory_bytes);
  EXPECT_EQ(found.max_work_group_size, device().description.max_work_group_size);
  EXPECT_GE(found.warp_width, 1U);
}

// clchol does not run the portable probes on CPU devices; this test does, and checks their results.
// (PoCL runs work-groups in the order of their numbers, so that tickets come in order.)
TEST_F(CapabilitiesTest, PortableProbesWriteWhatTheyMust) {
  std::string_view source;
  for (const EmbeddedText& file : kernel_sources()) {
    if (file.name == "probe.cl") source = file.text;
  }

  const Capability forward = run_probe(programs(), queue(),
                                       {{"probe.cl", source, "-DPROBE=PROBE_FORWARD_PROGRESS"},
                                        work_groups_of(1, 3),
                                        {0, 1, 0, 0, 0},
                                        {3, 1, 1, 1, 1}});
  const Capability local =
      run_probe(programs(), queue(),
                {{"probe.cl", source, "-DPROBE=PROBE_STATIC_LOCAL -DLOCAL_BYTES=8192"},
                 work_groups_of(128, 3),
                 {0, 0, 0},
                 {2047, 2047, 2047}});

  EXPECT_EQ(forward.reason, "");
  EXPECT_EQ(local.reason, "");
}

}  // namespace
}  // namespace clchol::gpu
