// One OpenCL device: its handle, its description, and what kernels ask of it beyond that.
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
  DeviceDescription description;  // flat_index, platform, index: kNone for a caller's device.

  std::string platform_name;
  std::string platform_version;
  std::vector<std::string> extensions;

  std::array<std::uint64_t, 3> max_work_item_sizes{};  // Of a work-group, by dimension.
  std::uint64_t base_alignment_bytes = 0;              // Of buffers and sub-buffers.
  bool dedicated_local_memory = false;                 // Otherwise local memory is cached global.
  int compute_capability = 0;  // NVIDIA: 10 * major + minor, so 90 for 9.0.  Elsewhere 0.
  int warp_width = 0;          // NVIDIA's warp, AMD's wavefront, in work-items.  0: not told.

  const std::string& name() const { return description.name; }
  bool has_extension(std::string_view extension) const;
};

/// A device of list_devices().  Throws DeviceError when it does not answer or is gone.
Device open_device(const DeviceDescription& listed);

/// A caller's device.  Throws DeviceError when it does not answer.
Device device_of(cl_device_id id);

}  // namespace clchol::gpu
