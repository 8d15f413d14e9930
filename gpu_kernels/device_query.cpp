#include "gpu_kernels/device_query.hpp"

#include <string_view>

#include "gpu_kernels/cl_check.hpp"

namespace clchol::gpu {
namespace {

// Returned by the ICD loader when no platform is installed (cl_khr_icd); not in cl.h.
constexpr ClCode kPlatformNotFound = -1001;

// Drivers pad names with blanks and count the terminating zero.
std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank(" \t\n\r\0", 5);
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

std::string platform_string(const QueryCalls& calls, cl_platform_id id, cl_platform_info what,
                            std::string_view name) {
  std::size_t size = 0;
  check(calls.get_platform_info(id, what, 0, nullptr, &size), "clGetPlatformInfo", name);
  std::string text(size, '\0');
  check(calls.get_platform_info(id, what, size, text.data(), nullptr), "clGetPlatformInfo", name);
  return trimmed(text);
}

// One device, and the name that its errors carry.
struct DeviceQuery {
  const QueryCalls& calls;
  cl_device_id id;
  std::string_view name;

  std::string text(cl_device_info what) const {
    std::size_t size = 0;
    check(calls.get_device_info(id, what, 0, nullptr, &size), "clGetDeviceInfo", name);
    std::string value(size, '\0');
    check(calls.get_device_info(id, what, size, value.data(), nullptr), "clGetDeviceInfo", name);
    return trimmed(value);
  }

  template <class T>
  T number(cl_device_info what) const {
    T value{};
    check(calls.get_device_info(id, what, sizeof value, &value, nullptr), "clGetDeviceInfo", name);
    return value;
  }
};

DeviceKind kind_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return DeviceKind::kGpu;
  if (type & CL_DEVICE_TYPE_CPU) return DeviceKind::kCpu;
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return DeviceKind::kAccelerator;
  return DeviceKind::kOther;
}

// The configuration query is core since OpenCL 1.2 and invalid before, where the extension's name
// tells.
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

void describe_device(const QueryCalls& calls, cl_device_id id, DeviceDescription& device) try {
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
} catch (const DeviceError& error) {
  device.error = error.what();
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

// The devices are listed even where a driver cannot say its platform's name.
void describe_platform(const QueryCalls& calls, cl_platform_id id, PlatformDescription& platform) {
  try {
    platform.name = platform_string(calls, id, CL_PLATFORM_NAME, {});
    platform.vendor = platform_string(calls, id, CL_PLATFORM_VENDOR, platform.name);
    platform.version = platform_string(calls, id, CL_PLATFORM_VERSION, platform.name);
  } catch (const DeviceError& error) {
    platform.error = error.what();
  }
  try {
    for (cl_device_id device : device_ids(calls, id, platform.name)) {
      describe_device(calls, device, platform.devices.emplace_back());
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

}  // namespace clchol::gpu
