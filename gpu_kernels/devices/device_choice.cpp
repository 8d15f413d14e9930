#include "gpu_kernels/devices/device_choice.hpp"

#include <algorithm>
#include <cctype>

#include "base/assert.hpp"

namespace clchol::gpu {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Whether the text is "p:d" with digits alone for p and d.
bool is_address(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && is_number(text.substr(0, colon)) &&
         is_number(text.substr(colon + 1));
}

std::string address(const DeviceDescription& device) {
  return std::to_string(device.platform) + ":" + std::to_string(device.index);
}

bool matches(const PlatformDescription& platform, const DeviceDescription& device,
             std::string_view name) {
  if (is_number(name)) return std::to_string(device.flat_index) == name;
  if (is_address(name)) return address(device) == name;
  const std::string part = lower_case(name);
  return !part.empty() && (lower_case(platform.name).find(part) != std::string::npos ||
                           lower_case(device.name).find(part) != std::string::npos);
}

template <class F>
void for_each_device(const DeviceList& list, const F& f) {
  for (const PlatformDescription& platform : list.platforms) {
    for (const DeviceDescription& device : platform.devices) f(platform, device);
  }
}

[[noreturn]] void refuse(const DeviceList& list, std::string_view name, const char* reason) {
  throw InvalidArgument("device '" + std::string(name) + "': " + reason +
                        "; OpenCL devices: " + known_devices(list));
}

}  // namespace

std::vector<Index> matching_devices(const DeviceList& list, std::string_view name) {
  std::vector<Index> found;
  for_each_device(list, [&](const PlatformDescription& platform, const DeviceDescription& device) {
    if (matches(platform, device, name)) found.push_back(device.flat_index);
  });
  return found;
}

std::string known_devices(const DeviceList& list) {
  std::string names;
  for_each_device(list, [&](const PlatformDescription&, const DeviceDescription& device) {
    if (!names.empty()) names += ", ";
    names += std::to_string(device.flat_index) + " (" + address(device) + ", " + device.name + ")";
  });
  return names.empty() ? "none" : names;
}

const DeviceDescription& device_at(const DeviceList& list, Index flat_index) {
  const DeviceDescription* found = nullptr;
  for_each_device(list, [&](const PlatformDescription&, const DeviceDescription& device) {
    if (device.flat_index == flat_index) found = &device;
  });
  CLCHOL_ASSERT(found != nullptr);
  return *found;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::vector<Index> choose_devices(const DeviceList& list, std::span<const std::string> names) {
  std::vector<Index> chosen;
  for (const std::string& name : names) {
    const std::vector<Index> found = matching_devices(list, name);
    if (found.empty()) refuse(list, name, "no such device");
    if (std::find(chosen.begin(), chosen.end(), found.front()) != chosen.end()) {
      refuse(list, name, "names a device for the second time");
    }
    chosen.push_back(found.front());
  }
  return chosen;
}

}  // namespace clchol::gpu
