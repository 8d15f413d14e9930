// The functions behind list_devices(), with the OpenCL functions that they call as a parameter.
// Tests pass functions that fail, to check that a broken platform does not hide other platforms.
// This header needs OpenCL's headers.
#pragma once

#include <CL/cl.h>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// The OpenCL functions that this file's functions call.
struct QueryCalls {
  decltype(&clGetPlatformIDs) get_platform_ids = &clGetPlatformIDs;
  decltype(&clGetPlatformInfo) get_platform_info = &clGetPlatformInfo;
  decltype(&clGetDeviceIDs) get_device_ids = &clGetDeviceIDs;
  decltype(&clGetDeviceInfo) get_device_info = &clGetDeviceInfo;
};

/// Lists all platforms and devices as list_devices() without arguments does, with the given OpenCL
/// functions.
DeviceList list_devices(const QueryCalls& calls);

/// Describes one device.  The members flat_index, platform and index of the result are 0.  The
/// first query that fails is recorded in its member `error`.
DeviceDescription describe_device(const QueryCalls& calls, cl_device_id id);

/// Returns the handle of the device with the numbers device.platform and device.index.  Throws
/// DeviceError when a query fails, and when there is no longer a device with these numbers.
cl_device_id find_device(const QueryCalls& calls, const DeviceDescription& device);

}  // namespace clchol::gpu
