// Chooses OpenCL devices by names.  Users write names in options of the command and of the library,
// and in the environment variable CLCHOL_DEVICE.  A name is one of
//
//   digits alone     number of a device, counted over all platforms (DeviceDescription::flat_index)
//   p:d              number p of a platform, and number d of a device on this platform
//   any other text   a part of the name of a platform or a device; upper and lower case are equal
//
// Numbers count from 0.  split_names() splits a list of names, such as `0,1`.  The names `auto` and
// `cpu` do not stand for OpenCL devices: callers handle `auto` and `cpu` themselves and do not pass
// them to the functions below.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// Returns the flat indices (DeviceDescription::flat_index) of all devices that match a name, in
/// ascending order.  The result is empty when no device matches.
/// @param name  a single name, without a comma.
std::vector<Index> matching_devices(const DeviceList& list, std::string_view name);

/// Returns a text for messages that lists all devices: "0 (0:0, NVIDIA H200), 1 (1:0, ...)".
/// Returns "none" when the list has no device.
std::string known_devices(const DeviceList& list);

/// Returns the device whose DeviceDescription::flat_index is `flat_index`.  The list must contain
/// such a device, and must outlive the returned reference.
const DeviceDescription& device_at(const DeviceList& list, Index flat_index);
const DeviceDescription& device_at(DeviceList&& list, Index flat_index) = delete;

/// Splits a text at its commas and returns the names between the commas.  The result has at least
/// one name.  Names may be empty.
std::vector<std::string> split_names(std::string_view text);

/// Returns the flat index of one device for each name, in the order of the names.  A name that
/// matches several devices stands for the matching device with the least flat index.
/// Throws InvalidArgument for a name that is empty or matches no device, and when two names stand
/// for the same device.  The message lists all devices of `list`.
std::vector<Index> choose_devices(const DeviceList& list, std::span<const std::string> names);

}  // namespace clchol::gpu
