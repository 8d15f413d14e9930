// The queries of list_devices(), with the OpenCL functions as a parameter.  Tests pass functions
// that fail, to check that a broken platform does not hide others.  Only in builds with OpenCL.
#pragma once

#include <CL/cl.h>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// The OpenCL functions that the queries call.
struct QueryCalls {
  decltype(&clGetPlatformIDs) get_platform_ids = &clGetPlatformIDs;
  decltype(&clGetPlatformInfo) get_platform_info = &clGetPlatformInfo;
  decltype(&clGetDeviceIDs) get_device_ids = &clGetDeviceIDs;
  decltype(&clGetDeviceInfo) get_device_info = &clGetDeviceInfo;
};

/// As list_devices() without arguments, by the given OpenCL functions.
DeviceList list_devices(const QueryCalls& calls);

/// Describes one device.  Its numbers flat_index, platform and index are left 0.  A query that
/// fails is recorded in the result.
DeviceDescription describe_device(const QueryCalls& calls, cl_device_id id);

/// Returns the handle of a listed device.  Throws DeviceError when no platform has the device any
/// more.
cl_device_id find_device(const QueryCalls& calls, const DeviceDescription& device);

}  // namespace clchol::gpu
