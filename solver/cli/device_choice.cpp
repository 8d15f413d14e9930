#include "solver/cli/device_choice.hpp"

#include <sys/utsname.h>

#include <fstream>

#include "gpu_kernels/device_choice.hpp"
#include "solver/cli/outcome.hpp"

namespace clchol::cli {

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

void require_cpu(const std::string& name) {
  if (name == "auto" || name == "cpu") return;
  const gpu::DeviceList list = gpu::list_devices();
  const std::string known = "; known: auto, cpu; OpenCL devices: " + gpu::known_devices(list);
  if (name.find(',') != std::string::npos) {
    throw Failure(Outcome::kUsage, "--device '" + name + "': one device at a time" + known);
  }
  if (gpu::matching_devices(list, name).empty()) {
    throw Failure(Outcome::kUsage, "--device '" + name + "': no such device" + known);
  }
  throw Failure(Outcome::kUsage, "--device '" + name +
                                     "' is an OpenCL device; systems are solved on the CPU only: "
                                     "use auto or cpu" +
                                     known);
}

}  // namespace clchol::cli
