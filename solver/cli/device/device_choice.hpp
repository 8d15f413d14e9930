// Devices by name, and what is known of the CPU.
//
// What --device says is `auto`, `cpu`, or names of OpenCL devices between commas
// (gpu_kernels/devices/device_choice.hpp).
#pragma once

#include <string>
#include <vector>

#include "clchol/options.hpp"
#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::cli {

/// The processor's name as the system tells it; its architecture where it tells none.
std::string cpu_name();

/// Sets Options::engine and Options::devices to what --device says.
/// Throws Failure(kUsage), with the list of known devices, where `auto` or `cpu` is one of several.
void set_device(const std::string& text, Options& options);

/// Throws Failure(kUsage), with the list of known devices, for a name that means no device, and for
/// a device that is named twice.  Returns for `auto` and `cpu` without asking OpenCL.
void check_device(const std::string& text);

/// The OpenCL devices that are meant, one for each name between commas.
/// Throws as choose_opencl_device().
std::vector<gpu::DeviceDescription> choose_opencl_devices(const std::string& names);

/// The one OpenCL device that is meant; `auto` is the first GPU, or the first device without one.
/// Throws Failure(kDeviceFailure) where there is no OpenCL device at all, otherwise Failure(kUsage)
/// with the list of devices for `cpu`, several names, and a name that means none.
gpu::DeviceDescription choose_opencl_device(const std::string& name);

}  // namespace clchol::cli
