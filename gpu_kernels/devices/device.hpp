// One OpenCL device: its handle, its description, and further properties that kernels depend on.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

struct Device {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  /// Its flat_index, platform and index are kNone for a device that device_of() made.
  DeviceDescription description;

  std::string platform_name;
  std::string platform_version;
  std::vector<std::string> extensions;

  /// Most work-items of a work-group, by dimension.
  std::array<std::uint64_t, 3> max_work_item_sizes{};
  std::uint64_t base_alignment_bytes = 0;  // Alignment of buffers and sub-buffers.
  bool dedicated_local_memory = false;     // False: local memory is cached global memory.
  int compute_capability = 0;              // NVIDIA: 10 * major + minor, 90 for 9.0.  Others: 0.
  int warp_width = 0;  // Work-items of NVIDIA's warp or AMD's wavefront.  0: unknown.

  const std::string& name() const { return description.name; }
  bool has_extension(std::string_view extension) const;
};

/// Opens a device of list_devices().  Throws DeviceError when a query fails, or when the device is
/// no longer listed.
Device open_device(const DeviceDescription& listed);

/// Opens a device that the caller found by OpenCL itself.  Throws DeviceError when a query fails.
Device device_of(cl_device_id id);

}  // namespace clchol::gpu
