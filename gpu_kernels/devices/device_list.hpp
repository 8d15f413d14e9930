// Lists and describes the OpenCL platforms and devices of this machine, without creating a context.
//
// Platforms are listed in the order of the ICD loader.  A platform or device with a failing query
// is listed with the error as text, and does not keep others from the list.  A build without OpenCL
// lists nothing.
// Cost: a few queries per device, but the first call of a process starts every driver (up to
// seconds on a machine with large GPUs), so call it only when the user asks for devices.  Safe to
// call concurrently.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

enum class DeviceKind { kGpu, kCpu, kAccelerator, kOther };

/// Returns "gpu", "cpu", "accelerator" or "other".
const char* to_string(DeviceKind kind) noexcept;

struct DeviceDescription {
  Index flat_index = 0;  // Number among the devices of all platforms, as listed.
  Index platform = 0;    // Number of its platform.
  Index index = 0;       // Number on its platform: `platform:index` names the device.

  std::string name;
  std::string vendor;
  std::string version;         // "OpenCL 3.0 ..."
  std::string driver_version;  // In the vendor's own numbering.
  DeviceKind kind = DeviceKind::kOther;
  bool fp64 = false;

  std::uint64_t global_memory_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;  // Bytes of the largest single buffer.
  std::uint64_t local_memory_bytes = 0;    // Bytes of local memory of a work-group.
  std::uint32_t compute_units = 0;
  std::uint64_t max_work_group_size = 0;

  std::string error;  // Empty, or the first query that failed; later members keep defaults.
};

struct PlatformDescription {
  std::string name;
  std::string vendor;
  std::string version;
  std::vector<DeviceDescription> devices;
  std::string error;  // Empty, or the last query that failed: for a name, or for the devices.
};

struct DeviceList {
  std::vector<PlatformDescription> platforms;
  std::string error;  // Empty, or the query for the platforms that failed.

  /// Number of devices of all platforms.
  Index num_devices() const;
};

/// Whether this build supports OpenCL.
bool opencl_built() noexcept;

/// Lists all platforms and devices.  The list is empty, without an error, when no platform is
/// installed and when !opencl_built().
/// Throws std::bad_alloc only.  Failures of drivers are recorded in the result.
DeviceList list_devices();

}  // namespace clchol::gpu
