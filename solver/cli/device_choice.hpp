// Devices by name, and what is known of the CPU.
//
// The words `auto` and `cpu` mean the CPU engine; OpenCL devices are named by the grammar of
// gpu_kernels/device_choice.hpp.
#pragma once

#include <string>

#include "gpu_kernels/device_list.hpp"

namespace clchol::cli {

/// The processor's name as the system tells it; its architecture where it tells none.
std::string cpu_name();

/// Returns for `auto` and `cpu`, without asking OpenCL.  Throws Failure(kUsage) with the list of
/// known devices for anything else, for the numeric phase has no OpenCL engine.
void require_cpu(const std::string& name);

/// The one OpenCL device that is meant; `auto` is the first GPU, or the first device without one.
/// Throws Failure(kDeviceFailure) where there is no OpenCL device at all, otherwise Failure(kUsage)
/// with the list of devices for `cpu`, several names, and a name that means none.
gpu::DeviceDescription choose_opencl_device(const std::string& name);

}  // namespace clchol::cli
