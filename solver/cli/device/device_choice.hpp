// Chooses devices by the text of the option --device, and names the CPU.
//
// The text is `auto`, or `cpu`, or one or several names of OpenCL devices, separated by commas.
// gpu_kernels/devices/device_choice.hpp describes these names, for example `0` or `0,1`.
#pragma once

#include <string>
#include <vector>

#include "clchol/options.hpp"
#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::cli {

/// @return the processor's name from /proc/cpuinfo, or else its architecture.
std::string cpu_name();

/// Sets Options::engine and Options::devices to what --device says.  Does not check whether the
/// named devices exist.
/// @param text  text of --device.
/// Throws Failure(kUsage), with the list of known devices, if `auto` or `cpu` is one of several
/// names.
void set_device(const std::string& text, Options& options);

/// Checks whether the named devices exist.  For `auto` and `cpu`, does nothing.
/// @param text  text of --device.
/// Throws Failure(kUsage), with the list of known devices, if a name matches no device, if a device
/// is named twice, or if `auto` or `cpu` is one of several names.
void check_device(const std::string& text);

/// Chooses OpenCL devices, for subcommands that run only on OpenCL devices.
/// @param names  `auto`, or names of OpenCL devices, separated by commas.
/// @return the OpenCL device of each name.  For `auto`, one device: the first GPU, or the first
///         device if there is no GPU.
/// Throws Failure(kDeviceFailure) if there is no OpenCL device.  Throws Failure(kUsage), with the
/// list of devices, for `cpu`, for a name that matches no device, and for a device named twice.
std::vector<gpu::DeviceDescription> choose_opencl_devices(const std::string& names);

/// Chooses a single OpenCL device.
/// @param name  `auto`, or the name of one OpenCL device.
/// Throws as choose_opencl_devices(), and Failure(kUsage) for several names.
gpu::DeviceDescription choose_opencl_device(const std::string& name);

}  // namespace clchol::cli
