// An OpenCL device that the library uses: its handle, its description (device_list.hpp), and
// further properties on which the choice and the launches of kernels depend.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// Handle and properties of one OpenCL device.
struct Device {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  /// Name, vendor, sizes and other properties.  In a Device that device_of() has returned,
  /// description.flat_index, description.platform and description.index are kNone.
  DeviceDescription description;

  std::string platform_name;
  std::string platform_version;
  std::vector<std::string> extensions;  // Names of OpenCL extensions that the device supports.

  /// Greatest number of work-items of a work-group in each dimension.
  std::array<std::uint64_t, 3> max_work_item_sizes{};
  std::uint64_t base_alignment_bytes = 0;  // Alignment in bytes of buffers and sub-buffers.
  bool dedicated_local_memory = false;     // False: local memory is a part of global memory.
  // Compute capability of an NVIDIA device: 10 * major + minor, such as 90 for version 9.0.
  // 0: not an NVIDIA device.
  int compute_capability = 0;
  int warp_width = 0;  // Work-items of a warp (NVIDIA) or a wavefront (AMD).  0: unknown.

  const std::string& name() const { return description.name; }
  /// Returns whether the device supports the OpenCL extension of this name.
  bool has_extension(std::string_view extension) const;
};

/// Returns the handle and all properties of a device that list_devices() has listed.  Throws
/// DeviceError when listed.error is not empty, when a query fails, and when OpenCL no longer lists
/// a device with the numbers listed.platform and listed.index.
Device open_device(const DeviceDescription& listed);

/// Returns all properties of the device whose handle is `id`.
/// @param id  handle that the caller got from OpenCL.
/// Throws DeviceError when a query fails.
Device device_of(cl_device_id id);

}  // namespace clchol::gpu
