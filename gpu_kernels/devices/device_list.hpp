// Lists and describes the OpenCL platforms and devices of this machine, without creating a context.
//
// Platforms are listed in the order in which OpenCL's ICD loader returns them.  A platform or
// device for which a query fails is listed too, with the text of the error; other platforms and
// devices are not affected.  A build without OpenCL lists nothing.
// Cost of list_devices(): a few queries per device.  The first call in a process also starts every
// driver, which takes up to seconds on a machine with large GPUs.  So list_devices() should be
// called only when the user asks for devices.  Several host threads may call list_devices() at the
// same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

enum class DeviceKind { kGpu, kCpu, kAccelerator, kOther };

/// Returns the kind as text: "gpu", "cpu", "accelerator" or "other".
const char* to_string(DeviceKind kind) noexcept;

/// Properties of a device that its OpenCL driver reports, and the device's numbers in a DeviceList.
struct DeviceDescription {
  Index flat_index = 0;  // Number of the device, counted from 0 over all platforms of the list.
  Index platform = 0;    // Index of the device's platform in DeviceList::platforms.
  Index index = 0;       // Index of the device in PlatformDescription::devices.

  std::string name;
  std::string vendor;
  std::string version;         // Version of OpenCL that the device supports: "OpenCL 3.0 ..."
  std::string driver_version;  // Version of the driver, in the vendor's numbering.
  DeviceKind kind = DeviceKind::kOther;
  bool fp64 = false;  // Whether kernels can compute in double precision.

  std::uint64_t global_memory_bytes = 0;   // Bytes of the device's memory.
  std::uint64_t max_allocation_bytes = 0;  // Greatest size in bytes of one buffer.
  std::uint64_t local_memory_bytes = 0;    // Greatest size in bytes of a work-group's local memory.
  std::uint32_t compute_units = 0;         // Number of compute units.
  std::uint64_t max_work_group_size = 0;   // Greatest number of work-items of a work-group.

  // Message of the first query that failed, or empty.  After a failure, no further query is made,
  // and the members that have not been queried keep their default values.
  std::string error;
};

/// An OpenCL platform (a vendor's driver) and its devices.
struct PlatformDescription {
  std::string name;
  std::string vendor;
  std::string version;
  std::vector<DeviceDescription> devices;
  // Error message if a query for the platform's name, vendor, version or list of devices failed,
  // otherwise empty.  If several queries failed, the message of the last one.
  std::string error;
};

/// All platforms and devices of this machine.
struct DeviceList {
  std::vector<PlatformDescription> platforms;
  std::string error;  // Error message if the query for the platforms failed, otherwise empty.

  /// Returns the number of devices of all platforms together.
  Index num_devices() const;
};

/// Returns whether the library was built with OpenCL.
bool opencl_built() noexcept;

/// Returns a list of all platforms and devices.  When no platform is installed, and when
/// opencl_built() is false, the list is empty and DeviceList::error is empty.
/// Throws std::bad_alloc only.  Errors of drivers are stored in DeviceList::error,
/// PlatformDescription::error and DeviceDescription::error.
DeviceList list_devices();

}  // namespace clchol::gpu
