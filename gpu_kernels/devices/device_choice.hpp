// Chooses devices by name.  The command, the library and the environment use this one grammar:
//
//   digits alone     number of a device among all platforms (DeviceDescription::flat_index)
//   p:d              number of a platform, and of a device on this platform
//   anything else    part of the name of a platform or a device, in upper or lower case
//   a,b,c            several devices, in one text: split_names()
//
// `auto` and `cpu` do not name OpenCL devices.  The caller handles them before it calls these
// functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// Returns the flat indices of the devices that match a name, ascending; empty when no device
/// matches.
/// @param name  one name, without a comma.
std::vector<Index> matching_devices(const DeviceList& list, std::string_view name);

/// Returns "0 (0:0, NVIDIA H200), 1 (1:0, ...)", or "none" for an empty list.
std::string known_devices(const DeviceList& list);

/// Returns the device with this flat index, which the list must contain.
const DeviceDescription& device_at(const DeviceList& list, Index flat_index);
const DeviceDescription& device_at(DeviceList&& list, Index flat_index) = delete;

/// Returns the names between the commas of a text: at least one, which may be empty.
std::vector<std::string> split_names(std::string_view text);

/// Returns the flat index of one device for each name, in the order of the names.  A name that
/// matches several devices stands for the first of them.
/// Throws InvalidArgument, which lists the known devices, for an empty name, for a name that
/// matches no device, and for a device that is named twice.
std::vector<Index> choose_devices(const DeviceList& list, std::span<const std::string> names);

}  // namespace clchol::gpu
