#include "gpu_kernels/devices/device_query.hpp"

#include <string_view>

#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {
namespace {

// The ICD loader returns this code when no platform is installed (cl_khr_icd).  cl.h lacks it.
constexpr ClCode kPlatformNotFound = -1001;

std::string platform_text(const QueryCalls& calls, cl_platform_id id, cl_platform_info what,
                          std::string_view name) {
  return info_text({"clGetPlatformInfo", name}, calls.get_platform_info, what, id);
}

// Queries of one device.
struct DeviceQuery {
  const QueryCalls& calls;
  cl_device_id id;
  std::string_view name;  // Name in the messages of errors.

  std::string text(cl_device_info what) const {
    return info_text({"clGetDeviceInfo", name}, calls.get_device_info, what, id);
  }
  template <class T>
  T number(cl_device_info what) const {
    return info_value<T>({"clGetDeviceInfo", name}, calls.get_device_info, what, id);
  }
};

DeviceKind kind_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return DeviceKind::kGpu;
  if (type & CL_DEVICE_TYPE_CPU) return DeviceKind::kCpu;
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return DeviceKind::kAccelerator;
  return DeviceKind::kOther;
}

// The query of the fp64 configuration is valid from OpenCL 1.2 on.  For older devices the list of
// extensions says whether they support fp64.
bool has_fp64(const DeviceQuery& query) {
  cl_device_fp_config config = 0;
  const cl_int code = query.calls.get_device_info(query.id, CL_DEVICE_DOUBLE_FP_CONFIG,
                                                  sizeof config, &config, nullptr);
  if (code != CL_INVALID_VALUE) {
    check(code, "clGetDeviceInfo", query.name);
    return config != 0;
  }
  return query.text(CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos;
}

void query_device(const QueryCalls& calls, cl_device_id id, DeviceDescription& device) {
  device.name = DeviceQuery{calls, id, {}}.text(CL_DEVICE_NAME);
  const DeviceQuery query{calls, id, device.name};
  device.vendor = query.text(CL_DEVICE_VENDOR);
  device.version = query.text(CL_DEVICE_VERSION);
  device.driver_version = query.text(CL_DRIVER_VERSION);
  device.kind = kind_of(query.number<cl_device_type>(CL_DEVICE_TYPE));
  device.global_memory_bytes = query.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  device.max_allocation_bytes = query.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  device.local_memory_bytes = query.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  device.compute_units = query.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  device.max_work_group_size = query.number<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  device.fp64 = has_fp64(query);
}

std::vector<cl_device_id> device_ids(const QueryCalls& calls, cl_platform_id platform,
                                     std::string_view name) {
  cl_uint count = 0;
  const cl_int code = calls.get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND) return {};
  check(code, "clGetDeviceIDs", name);
  std::vector<cl_device_id> ids(count);
  if (count > 0) {
    check(calls.get_device_ids(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
          "clGetDeviceIDs", name);
  }
  return ids;
}

// Lists the devices even when a query for the platform's name fails.
void describe_platform(const QueryCalls& calls, cl_platform_id id, PlatformDescription& platform) {
  try {
    platform.name = platform_text(calls, id, CL_PLATFORM_NAME, {});
    platform.vendor = platform_text(calls, id, CL_PLATFORM_VENDOR, platform.name);
    platform.version = platform_text(calls, id, CL_PLATFORM_VERSION, platform.name);
  } catch (const DeviceError& error) {
    platform.error = error.what();
  }
  try {
    for (cl_device_id device : device_ids(calls, id, platform.name)) {
      platform.devices.push_back(describe_device(calls, device));
    }
  } catch (const DeviceError& error) {
    platform.error = error.what();
  }
}

std::vector<cl_platform_id> platform_ids(const QueryCalls& calls) {
  cl_uint count = 0;
  const cl_int code = calls.get_platform_ids(0, nullptr, &count);
  if (code == kPlatformNotFound) return {};
  check(code, "clGetPlatformIDs");
  std::vector<cl_platform_id> ids(count);
  if (count > 0) check(calls.get_platform_ids(count, ids.data(), nullptr), "clGetPlatformIDs");
  return ids;
}

void number_devices(DeviceList& list) {
  Index flat_index = 0;
  for (std::size_t p = 0; p < list.platforms.size(); ++p) {
    Index index = 0;
    for (DeviceDescription& device : list.platforms[p].devices) {
      device.platform = static_cast<Index>(p);
      device.index = index++;
      device.flat_index = flat_index++;
    }
  }
}

}  // namespace

DeviceDescription describe_device(const QueryCalls& calls, cl_device_id id) {
  DeviceDescription device;
  try {
    query_device(calls, id, device);
  } catch (const DeviceError& error) {
    device.error = error.what();
  }
  return device;
}

DeviceList list_devices(const QueryCalls& calls) {
  DeviceList list;
  try {
    for (cl_platform_id id : platform_ids(calls)) {
      describe_platform(calls, id, list.platforms.emplace_back());
    }
  } catch (const DeviceError& error) {
    list.error = error.what();
  }
  number_devices(list);
  return list;
}

cl_device_id find_device(const QueryCalls& calls, const DeviceDescription& device) {
  const std::vector<cl_platform_id> platforms = platform_ids(calls);
  const auto p = static_cast<std::size_t>(device.platform);
  const auto d = static_cast<std::size_t>(device.index);
  if (p < platforms.size()) {
    const std::vector<cl_device_id> ids = device_ids(calls, platforms[p], {});
    if (d < ids.size()) return ids[d];
  }
  throw DeviceError("OpenCL device " + std::to_string(device.platform) + ":" +
                    std::to_string(device.index) + " is not there any more");
}

}  // namespace clchol::gpu
