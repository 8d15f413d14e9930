#include "gpu_kernels/devices/device_list.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace clchol::gpu {
namespace {

std::vector<DeviceDescription> all_devices(const DeviceList& list) {
  std::vector<DeviceDescription> devices;
  for (const PlatformDescription& platform : list.platforms) {
    devices.insert(devices.end(), platform.devices.begin(), platform.devices.end());
  }
  return devices;
}

#ifdef CLCHOL_HAVE_OPENCL
TEST(DeviceList, BuildKnowsThatItHasOpenCl) { EXPECT_TRUE(opencl_built()); }
#else
TEST(DeviceList, BuildWithoutOpenClListsNothingAndSaysSo) {
  const DeviceList list = list_devices();

  EXPECT_FALSE(opencl_built());
  EXPECT_TRUE(list.platforms.empty());
  EXPECT_EQ(list.error, "");
}
#endif

TEST(DeviceList, FlatIndexCountsOverAllPlatforms) {
  const DeviceList list = list_devices();

  Index expected = 0;
  for (const DeviceDescription& device : all_devices(list)) {
    EXPECT_EQ(device.flat_index, expected++);
  }
  EXPECT_EQ(list.num_devices(), expected);
}

TEST(DeviceList, EveryDeviceThatAnswersHasMemoryAndUnits) {
  const std::vector<DeviceDescription> devices = all_devices(list_devices());
  if (devices.empty()) GTEST_SKIP() << "no OpenCL device on this machine";

  for (const DeviceDescription& device : devices) {
    SCOPED_TRACE(device.name);
    if (!device.error.empty()) continue;
    EXPECT_NE(device.name, "");
    EXPECT_NE(device.driver_version, "");
    EXPECT_EQ(device.version.substr(0, 7), "OpenCL ");
    EXPECT_GT(device.max_allocation_bytes, 0U);
    EXPECT_GE(device.global_memory_bytes, device.max_allocation_bytes);
    EXPECT_GT(device.local_memory_bytes, 0U);
    EXPECT_GT(device.compute_units, 0U);
    EXPECT_GT(device.max_work_group_size, 0U);
  }
}

TEST(DeviceList, PoclDevicesAreListedOneByOne) {
  const char* wanted = std::getenv("POCL_DEVICES");
  if (wanted == nullptr || std::string(wanted) != "pthread pthread") {
    GTEST_SKIP() << "needs POCL_DEVICES=\"pthread pthread\"";
  }

  Index found = 0;
  bool pocl = false;
  for (const PlatformDescription& platform : list_devices().platforms) {
    if (platform.name != "Portable Computing Language") continue;
    pocl = true;
    found += static_cast<Index>(platform.devices.size());
  }

  if (!pocl) GTEST_SKIP() << "PoCL is not installed";
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace clchol::gpu
