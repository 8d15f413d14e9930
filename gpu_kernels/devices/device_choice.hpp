// Devices by name: the one grammar for command, library and environment.
//
//   digits alone     the number over all platforms (DeviceDescription::flat_index)
//   p:d              platform and device
//   anything else    a part of a platform's or a device's name, the case of letters ignored
//   a,b,c            several, in a text: split_names()
//
// `auto` and `cpu` are no OpenCL devices: whoever knows engines takes them out first.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_kernels/devices/device_list.hpp"

namespace clchol::gpu {

/// Flat indices of the devices that one name (no comma) means, ascending; empty where none does.
std::vector<Index> matching_devices(const DeviceList& list, std::string_view name);

/// "0 (0:0, NVIDIA H200), 1 (1:0, ...)"; "none" for an empty list.
std::string known_devices(const DeviceList& list);

/// The device with this flat index, which must be one of the list's.
const DeviceDescription& device_at(const DeviceList& list, Index flat_index);
const DeviceDescription& device_at(DeviceList&& list, Index flat_index) = delete;

/// The names between the commas of a text: at least one, which may be empty.
std::vector<std::string> split_names(std::string_view text);

/// One device for each name, in their order; a name that means several devices stands for the first
/// of them.
/// Throws InvalidArgument, with the devices that there are, for an empty name, a name that means
/// none, and a device that is named twice.
std::vector<Index> choose_devices(const DeviceList& list, std::span<const std::string> names);

}  // namespace clchol::gpu
