// Chooses devices by name, and names the CPU.
//
// --device is `auto`, `cpu`, or names of OpenCL devices between commas
// (gpu_kernels/devices/device_choice.hpp).
#pragma once

#include <string>
#include <vector>

#include "clchol/options.hpp"
#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::cli {

/// @return the processor's name from /proc/cpuinfo, or else its architecture.
std::string cpu_name();

/// Sets Options::engine and Options::devices to what --device says.
/// Throws Failure(kUsage), with the list of known devices, if `auto` or `cpu` is one of several.
void set_device(const std::string& text, Options& options);

/// Throws Failure(kUsage), with the list of known devices, if a name matches no device, or if a
/// device is named twice.  For `auto` and `cpu`, returns without a call of OpenCL.
void check_device(const std::string& text);

/// @param names  names of devices, separated by commas.
/// @return the OpenCL device of each name.
/// Throws as choose_opencl_device(), except that several names are allowed.
std::vector<gpu::DeviceDescription> choose_opencl_devices(const std::string& names);

/// @return the OpenCL device of that name.  `auto` is the first GPU, or else the first device.
/// Throws Failure(kDeviceFailure) if there is no OpenCL device.  Throws Failure(kUsage), with the
/// list of devices, for `cpu`, for several names, and for a name that matches no device.
gpu::DeviceDescription choose_opencl_device(const std::string& name);

}  // namespace clchol::cli
