// Devices by name, and what is known of the CPU.
//
// The grammar: `auto` and `cpu` mean the CPU engine; digits alone an OpenCL device by its number
// over all platforms; `p:d` platform and device; anything else a part of a platform's or device's
// name.
#pragma once

#include <string>

#include "gpu_kernels/device_list.hpp"

namespace clchol::cli {

/// The processor's name as the system tells it; its architecture where it tells none.
std::string cpu_name();

/// OpenCL devices that `name` means, by number over all platforms; the case of letters is ignored.
std::vector<Index> matching_devices(const gpu::DeviceList& list, const std::string& name);

/// Returns for `auto` and `cpu`, without asking OpenCL.  Throws Failure(kUsage) with the list of
/// known devices for anything else, for the numeric phase has no OpenCL engine.
void require_cpu(const std::string& name);

}  // namespace clchol::cli
