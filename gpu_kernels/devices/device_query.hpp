// Functions that query platforms and devices.  The parameter `calls` has the OpenCL functions to
// call.  Tests pass OpenCL functions that fail, to check that a broken platform does not hide other
// platforms.  Unlike device_list.hpp, this header includes OpenCL's header.
#pragma once

#include <CL/cl.h>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// The OpenCL functions that the functions below call.  The defaults are the real functions.
struct QueryCalls {
  decltype(&clGetPlatformIDs) get_platform_ids = &clGetPlatformIDs;
  decltype(&clGetPlatformInfo) get_platform_info = &clGetPlatformInfo;
  decltype(&clGetDeviceIDs) get_device_ids = &clGetDeviceIDs;
  decltype(&clGetDeviceInfo) get_device_info = &clGetDeviceInfo;
};

/// Returns a list of all platforms and devices, by calling the given OpenCL functions.
/// list_devices() without arguments (device_list.hpp) does the same with the real functions.
DeviceList list_devices(const QueryCalls& calls);

/// Returns the description of one device.  The members flat_index, platform and index of the result
/// are 0.  Does not throw DeviceError: when a query fails, member `error` gets the message.
DeviceDescription describe_device(const QueryCalls& calls, cl_device_id id);

/// Returns the handle of the device with the numbers device.platform and device.index.  Throws
/// DeviceError when a query fails, and when OpenCL no longer lists a device with these numbers.
cl_device_id find_device(const QueryCalls& calls, const DeviceDescription& device);

}  // namespace clchol::gpu
