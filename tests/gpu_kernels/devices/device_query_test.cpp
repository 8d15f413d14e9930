// list_devices() with drivers that misbehave; a table of calls simulates each driver.
#include "gpu_kernels/devices/device_query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace clchol::gpu {
namespace {

using ::testing::HasSubstr;

// A handle made from a small number; list_devices() never dereferences handles.  The broken
// platform or device is number 1, the good one is number 2.
template <class Handle>
Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr)
}
constexpr std::uintptr_t kBroken = 1;

// Returns `value` as clGet*Info does: its size, the value, or both.
cl_int put(const void* value, std::size_t size, std::size_t room, void* out,
           std::size_t* out_size) {
  if (out != nullptr && room < size) return CL_INVALID_VALUE;
  if (out != nullptr) std::memcpy(out, value, size);
  if (out_size != nullptr) *out_size = size;
  return CL_SUCCESS;
}

cl_int put_text(std::string_view text, std::size_t room, void* out, std::size_t* out_size) {
  return put(text.data(), text.size(), room, out, out_size);
}

template <class T>
cl_int put_number(T value, std::size_t room, void* out, std::size_t* out_size) {
  return put(&value, sizeof value, room, out, out_size);
}

cl_int CL_API_CALL no_platform(cl_uint, cl_platform_id*, cl_uint*) { return -1001; }
cl_int CL_API_CALL zero_platforms(cl_uint, cl_platform_id*, cl_uint* count) {
  *count = 0;
  return CL_SUCCESS;
}
cl_int CL_API_CALL loader_out_of_memory(cl_uint, cl_platform_id*, cl_uint*) {
  return CL_OUT_OF_HOST_MEMORY;
}

// Lists the broken platform, then the good one.
cl_int CL_API_CALL two_platforms(cl_uint room, cl_platform_id* ids, cl_uint* count) {
  if (count != nullptr) *count = 2;
  for (cl_uint p = 0; ids != nullptr && p < std::min(room, 2U); ++p) {
    ids[p] = handle<cl_platform_id>(kBroken + p);
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL platform_info(cl_platform_id id, cl_platform_info, std::size_t room, void* out,
                                 std::size_t* out_size) {
  const bool broken = id == handle<cl_platform_id>(kBroken);
  return put_text(broken ? "Broken" : std::string_view("  Good \0", 8), room, out, out_size);
}

cl_int CL_API_CALL platform_info_fails(cl_platform_id, cl_platform_info, std::size_t, void*,
                                       std::size_t*) {
  return CL_OUT_OF_RESOURCES;
}

// The broken platform fails; the good one has a device that fails and one that answers.
cl_int CL_API_CALL device_ids_of_good(cl_platform_id platform, cl_device_type, cl_uint room,
                                      cl_device_id* ids, cl_uint* count) {
  if (platform == handle<cl_platform_id>(kBroken)) return CL_INVALID_PLATFORM;
  if (count != nullptr) *count = 2;
  for (cl_uint d = 0; ids != nullptr && d < std::min(room, 2U); ++d) {
    ids[d] = handle<cl_device_id>(kBroken + d);
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL no_device(cl_platform_id, cl_device_type, cl_uint, cl_device_id*, cl_uint*) {
  return CL_DEVICE_NOT_FOUND;
}

cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info what, std::size_t room, void* out,
                               std::size_t* out_size) {
  if (id == handle<cl_device_id>(kBroken)) return CL_DEVICE_NOT_AVAILABLE;
  switch (what) {
    case CL_DEVICE_TYPE:
      return put_number<cl_device_type>(CL_DEVICE_TYPE_GPU, room, out, out_size);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return put_number<cl_ulong>(cl_ulong{141} << 30, room, out, out_size);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return put_number<cl_ulong>(cl_ulong{35} << 30, room, out, out_size);
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return put_number<cl_ulong>(49152, room, out, out_size);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return put_number<cl_uint>(132, room, out, out_size);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return put_number<std::size_t>(1024, room, out, out_size);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return put_number<cl_device_fp_config>(CL_FP_FMA, room, out, out_size);
    default:
      return put_text("some text", room, out, out_size);
  }
}

// A driver before OpenCL 1.2: it does not know the fp64 query, but has the extension's name.
cl_int CL_API_CALL old_device_info(cl_device_id id, cl_device_info what, std::size_t room,
                                   void* out, std::size_t* out_size) {
  if (what == CL_DEVICE_DOUBLE_FP_CONFIG) return CL_INVALID_VALUE;
  if (what == CL_DEVICE_EXTENSIONS) {
    return put_text("cl_khr_icd cl_khr_fp64", room, out, out_size);
  }
  return device_info(id, what, room, out, out_size);
}

QueryCalls two_platform_calls() {
  return {&two_platforms, &platform_info, &device_ids_of_good, &device_info};
}

TEST(ListDevices, NoPlatformIsAnEmptyListWithoutError) {
  QueryCalls calls = two_platform_calls();
  calls.get_platform_ids = &no_platform;

  const DeviceList list = list_devices(calls);

  EXPECT_TRUE(list.platforms.empty());
  EXPECT_EQ(list.error, "");
}

TEST(ListDevices, ZeroPlatformsAreAnEmptyListWithoutError) {
  QueryCalls calls = two_platform_calls();
  calls.get_platform_ids = &zero_platforms;

  const DeviceList list = list_devices(calls);

  EXPECT_TRUE(list.platforms.empty());
  EXPECT_EQ(list.error, "");
}

TEST(ListDevices, FailureOfTheLoaderIsRecorded) {
  QueryCalls calls = two_platform_calls();
  calls.get_platform_ids = &loader_out_of_memory;

  EXPECT_EQ(list_devices(calls).error, "clGetPlatformIDs failed: CL_OUT_OF_HOST_MEMORY (-6)");
}

TEST(ListDevices, BrokenPlatformHidesNoOther) {
  const DeviceList list = list_devices(two_platform_calls());

  ASSERT_EQ(list.platforms.size(), 2U);
  EXPECT_EQ(list.platforms[0].error,
            "clGetDeviceIDs failed: CL_INVALID_PLATFORM (-32) [device: Broken]");
  EXPECT_EQ(list.platforms[1].error, "");
  EXPECT_EQ(list.platforms[1].devices.size(), 2U);
}

TEST(ListDevices, BrokenDeviceHidesNoOther) {
  const DeviceList list = list_devices(two_platform_calls());

  ASSERT_EQ(list.num_devices(), 2);
  EXPECT_THAT(list.platforms[1].devices[0].error, HasSubstr("CL_DEVICE_NOT_AVAILABLE (-2)"));
  EXPECT_EQ(list.platforms[1].devices[1].error, "");
}

TEST(ListDevices, PlatformWithoutANameStillListsItsDevices) {
  QueryCalls calls = two_platform_calls();
  calls.get_platform_info = &platform_info_fails;

  const DeviceList list = list_devices(calls);

  ASSERT_EQ(list.platforms.size(), 2U);
  EXPECT_THAT(list.platforms[1].error, HasSubstr("clGetPlatformInfo"));
  EXPECT_EQ(list.platforms[1].devices.size(), 2U);
}

TEST(ListDevices, PlatformWithoutDevicesIsNoError) {
  QueryCalls calls = two_platform_calls();
  calls.get_device_ids = &no_device;

  const DeviceList list = list_devices(calls);

  ASSERT_EQ(list.platforms.size(), 2U);
  EXPECT_EQ(list.platforms[0].error, "");
  EXPECT_TRUE(list.platforms[0].devices.empty());
}

TEST(ListDevices, FieldsAreWhatTheDriverSays) {
  const DeviceList list = list_devices(two_platform_calls());

  ASSERT_EQ(list.num_devices(), 2);
  const DeviceDescription& device = list.platforms[1].devices[1];
  EXPECT_EQ(device.flat_index, 1);
  EXPECT_EQ(device.platform, 1);
  EXPECT_EQ(device.index, 1);
  EXPECT_EQ(device.kind, DeviceKind::kGpu);
  EXPECT_TRUE(device.fp64);
  EXPECT_EQ(device.global_memory_bytes, std::uint64_t{141} << 30);
  EXPECT_EQ(device.max_allocation_bytes, std::uint64_t{35} << 30);
  EXPECT_EQ(device.local_memory_bytes, 49152U);
  EXPECT_EQ(device.compute_units, 132U);
  EXPECT_EQ(device.max_work_group_size, 1024U);
}

TEST(ListDevices, NamesAreTrimmed) {
  const DeviceList list = list_devices(two_platform_calls());

  ASSERT_EQ(list.platforms.size(), 2U);
  EXPECT_EQ(list.platforms[1].name, "Good");
}

TEST(ListDevices, OldDriverIsAskedForItsExtensions) {
  QueryCalls calls = two_platform_calls();
  calls.get_device_info = &old_device_info;

  const DeviceList list = list_devices(calls);

  ASSERT_EQ(list.num_devices(), 2);
  EXPECT_TRUE(list.platforms[1].devices[1].fp64);
}

}  // namespace
}  // namespace clchol::gpu
