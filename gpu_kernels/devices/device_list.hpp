// The OpenCL platforms and devices of this machine, described; no context is made.
//
// Input: the ICD loader's platforms, in its order.  A platform or device that fails to answer is
// listed with its error as text and hides no other.  A build without OpenCL lists nothing.
// Cost: a few queries a device, but the first call of a process starts every driver (up to seconds
// on a machine with large GPUs), so call it only when devices are asked for.  Safe to call
// concurrently.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

enum class DeviceKind { kGpu, kCpu, kAccelerator, kOther };

/// "gpu", "cpu", "accelerator", "other".
const char* to_string(DeviceKind kind) noexcept;

struct DeviceDescription {
  Index flat_index = 0;  // Among all devices of all platforms, in the order listed.
  Index platform = 0;    // Among the platforms.
  Index index = 0;       // Among its platform's devices: `platform:index` names it.

  std::string name;
  std::string vendor;
  std::string version;         // "OpenCL 3.0 ..."
  std::string driver_version;  // The vendor's own numbering.
  DeviceKind kind = DeviceKind::kOther;
  bool fp64 = false;

  std::uint64_t global_memory_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;  // Largest single buffer.
  std::uint64_t local_memory_bytes = 0;    // Per work-group.
  std::uint32_t compute_units = 0;
  std::uint64_t max_work_group_size = 0;

  std::string error;  // Empty, or the first query that failed; fields after it keep their defaults.
};

struct PlatformDescription {
  std::string name;
  std::string vendor;
  std::string version;
  std::vector<DeviceDescription> devices;
  std::string error;  // Empty, or why its devices could not be listed.
};

struct DeviceList {
  std::vector<PlatformDescription> platforms;
  std::string error;  // Empty, or why the platforms could not be listed.

  /// All platforms' devices together.
  Index num_devices() const;
};

/// Whether this build can use OpenCL at all.
bool opencl_built() noexcept;

/// Empty without an error where there is no platform, and where !opencl_built().
/// Throws std::bad_alloc only: driver failures are recorded in the result.
DeviceList list_devices();

}  // namespace clchol::gpu
