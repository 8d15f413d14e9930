#include "solver/cli/device/device_choice.hpp"

#include <sys/utsname.h>

#include <fstream>

#include "gpu_kernels/devices/device_choice.hpp"
#include "solver/cli/outcome.hpp"
#include "solver/device/engine_choice.hpp"

namespace clchol::cli {
namespace {

/// @return the reason why there is no OpenCL device, for the message.
std::string absence(const gpu::DeviceList& list) {
  if (!gpu::opencl_built()) return "this build is without OpenCL";
  if (!list.error.empty()) return list.error;
  if (list.platforms.empty()) return "no OpenCL platform is installed";
  for (const gpu::PlatformDescription& platform : list.platforms) {
    if (!platform.error.empty()) return platform.name + ": " + platform.error;
  }
  return "the OpenCL platforms have no device";
}

const gpu::DeviceDescription& best_device(const gpu::DeviceList& list) {
  for (const gpu::PlatformDescription& platform : list.platforms) {
    for (const gpu::DeviceDescription& device : platform.devices) {
      if (device.kind == gpu::DeviceKind::kGpu && device.error.empty()) return device;
    }
  }
  return device_at(list, 0);
}

/// @param word  `auto` or `cpu`, which is one of several names.
[[noreturn]] void refuse_among_several(const std::string& text, const std::string& word) {
  throw Failure(Outcome::kUsage, "--device '" + text + "': '" + word +
                                     "' is not one of several; OpenCL devices: " +
                                     gpu::known_devices(gpu::list_devices()));
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

void set_device(const std::string& text, Options& options) {
  options.engine = text == "cpu" ? EngineKind::kCpu : EngineKind::kAuto;
  options.devices.clear();
  if (text == "auto" || text == "cpu" || text.empty()) return;
  options.devices = gpu::split_names(text);
  for (const std::string& name : options.devices) {
    if (name != "auto" && name != "cpu") continue;
    refuse_among_several(text, name);
  }
}

void check_device(const std::string& text) {
  Options options;
  set_device(text, options);
  try {
    solver::check_devices(options, true);
  } catch (const InvalidArgument& error) {
    throw Failure(Outcome::kUsage,
                  std::string("--device: ") + error.what() + "; known besides: auto, cpu");
  }
}

std::vector<gpu::DeviceDescription> choose_opencl_devices(const std::string& names) {
  const gpu::DeviceList list = gpu::list_devices();
  if (list.num_devices() == 0) {
    throw Failure(Outcome::kDeviceFailure, "no OpenCL device: " + absence(list));
  }
  if (names == "auto") return {best_device(list)};
  if (names == "cpu") {
    throw Failure(Outcome::kUsage, "--device cpu: kernels run on OpenCL devices; OpenCL devices: " +
                                       gpu::known_devices(list));
  }
  std::vector<gpu::DeviceDescription> chosen;
  try {
    for (const Index d : gpu::choose_devices(list, gpu::split_names(names)))
      chosen.push_back(device_at(list, d));
  } catch (const InvalidArgument& error) {
    throw Failure(Outcome::kUsage, std::string("--device: ") + error.what());
  }
  return chosen;
}

gpu::DeviceDescription choose_opencl_device(const std::string& name) {
  if (name.find(',') != std::string::npos) {
    throw Failure(Outcome::kUsage, "--device '" + name +
                                       "': one device at a time; OpenCL devices: " +
                                       gpu::known_devices(gpu::list_devices()));
  }
  return choose_opencl_devices(name).front();
}

}  // namespace clchol::cli
