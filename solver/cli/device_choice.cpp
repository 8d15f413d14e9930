#include "solver/cli/device_choice.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>

#include "solver/cli/outcome.hpp"

namespace clchol::cli {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::string address(const gpu::DeviceDescription& device) {
  return std::to_string(device.platform) + ":" + std::to_string(device.index);
}

bool matches(const gpu::PlatformDescription& platform, const gpu::DeviceDescription& device,
             const std::string& name) {
  if (is_number(name)) return std::to_string(device.flat_index) == name;
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos && is_number(name.substr(0, colon)) &&
      is_number(name.substr(colon + 1))) {
    return address(device) == name;
  }
  const std::string part = lower_case(name);
  return !part.empty() && (lower_case(platform.name).find(part) != std::string::npos ||
                           lower_case(device.name).find(part) != std::string::npos);
}

template <class F>
void for_each_device(const gpu::DeviceList& list, const F& f) {
  for (const gpu::PlatformDescription& platform : list.platforms) {
    for (const gpu::DeviceDescription& device : platform.devices) f(platform, device);
  }
}

/// "auto, cpu, 0 (0:0, NVIDIA H200), ..."
std::string known_names(const gpu::DeviceList& list) {
  std::string names = "auto, cpu";
  for_each_device(list, [&](const auto&, const gpu::DeviceDescription& device) {
    names += ", " + std::to_string(device.flat_index) + " (" + address(device) + ", " +
             device.name + ")";
  });
  return names;
}

}  // namespace

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  utsname system = {};
  return ::uname(&system) == 0 ? system.machine : "unknown";
}

std::vector<Index> matching_devices(const gpu::DeviceList& list, const std::string& name) {
  std::vector<Index> found;
  for_each_device(
      list, [&](const gpu::PlatformDescription& platform, const gpu::DeviceDescription& device) {
        if (matches(platform, device, name)) found.push_back(device.flat_index);
      });
  return found;
}

void require_cpu(const std::string& name) {
  if (name == "auto" || name == "cpu") return;
  const gpu::DeviceList list = gpu::list_devices();
  const std::string known = "; known: " + known_names(list);
  if (name.find(',') != std::string::npos) {
    throw Failure(Outcome::kUsage, "--device '" + name + "': one device at a time" + known);
  }
  if (matching_devices(list, name).empty()) {
    throw Failure(Outcome::kUsage, "--device '" + name + "': no such device" + known);
  }
  throw Failure(Outcome::kUsage, "--device '" + name +
                                     "' is an OpenCL device; systems are solved on the CPU only: "
                                     "use auto or cpu" +
                                     known);
}

}  // namespace clchol::cli
