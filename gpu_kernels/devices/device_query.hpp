// The queries behind list_devices(), with the OpenCL calls as a parameter: tests put in calls that
// fail, to see that a broken platform hides no other.  Only in builds with OpenCL.
#pragma once

#include <CL/cl.h>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// The calls that listing needs.
struct QueryCalls {
  decltype(&clGetPlatformIDs) get_platform_ids = &clGetPlatformIDs;
  decltype(&clGetPlatformInfo) get_platform_info = &clGetPlatformInfo;
  decltype(&clGetDeviceIDs) get_device_ids = &clGetDeviceIDs;
  decltype(&clGetDeviceInfo) get_device_info = &clGetDeviceInfo;
};

/// As list_devices(), through `calls`.
DeviceList list_devices(const QueryCalls& calls);

/// One device; its numbers (flat_index, platform, index) are left 0.  A query that fails is
/// recorded in the result.
DeviceDescription describe_device(const QueryCalls& calls, cl_device_id id);

/// The handle of a listed device.  Throws DeviceError when the platforms do not have it (any more).
cl_device_id find_device(const QueryCalls& calls, const DeviceDescription& device);

}  // namespace clchol::gpu
