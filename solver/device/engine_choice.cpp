#include "solver/device/engine_choice.hpp"

#include <sstream>

#include "base/number_text.hpp"
#include "gpu_kernels/devices/device_choice.hpp"

namespace clchol::solver {
namespace {

/// From so many seconds of the CPU's on, a device is worth opening.
constexpr double kDeviceFrom = 0.3;
/// Of the cost model: cycles a second.
constexpr double kCyclesPerSecond = 3e9;

bool is_cpu_word(const std::string& name) { return name == "cpu"; }
bool is_auto_word(const std::string& name) { return name == "auto" || name.empty(); }

std::string seconds_text(double seconds) { return general_text(seconds, 2) + " s"; }

double predicted_cpu_seconds(const Analysis& analysis, const Options& options) {
  return analysis.cpu_plan.total_cycles / kCyclesPerSecond / num_threads(options) *
         std::max(1, options.expected_factorizations);
}

const gpu::DeviceDescription* first_gpu(const gpu::DeviceList& list, bool fp64) {
  for (const gpu::PlatformDescription& platform : list.platforms) {
    for (const gpu::DeviceDescription& device : platform.devices) {
      const bool is_able = device.error.empty() && (device.fp64 || !fp64);
      if (device.kind == gpu::DeviceKind::kGpu && is_able) return &device;
    }
  }
  return nullptr;
}

EngineChoice choose_automatically(const Analysis& analysis, const Options& options,
                                  bool double_factor, const EngineChoice& previous,
                                  const DeviceAccess& devices) {
  EngineChoice choice{options.device, {}, {}};
  const double seconds = predicted_cpu_seconds(analysis, options);
  if (seconds < kDeviceFrom) {
    choice.reason =
        "the CPU takes about " + seconds_text(seconds) + ", less than opening a device is worth";
    return choice;
  }
  if (!previous.devices.empty()) {
    choice.devices = {previous.devices.front()};
    choice.reason = "the device is open";
    return choice;
  }
  const gpu::DeviceList list = devices.list();
  const gpu::DeviceDescription* const gpu = first_gpu(list, double_factor);
  if (gpu == nullptr) {
    choice.reason = "there is no OpenCL GPU that can";
    return choice;
  }
  try {
    choice.devices = {devices.open(*gpu)};
    choice.reason = "the CPU would take about " + seconds_text(seconds);
  } catch (const DeviceError& error) {
    choice.reason = std::string("the GPU could not be opened: ") + error.what();
  }
  return choice;
}

[[noreturn]] void refuse_among_several(const gpu::DeviceList& list, const std::string& names,
                                       const std::string& word) {
  throw InvalidArgument(
      "device '" + names + "': '" + word +
      "' is not one of several; between commas are OpenCL devices: " + gpu::known_devices(list));
}

/// Flat indices of the devices that names mean.
std::vector<Index> named_devices(const gpu::DeviceList& list, const std::string& names) {
  std::istringstream words(names);
  for (std::string word; std::getline(words, word, ',');) {
    if (is_cpu_word(word) || word == "auto") refuse_among_several(list, names, word);
  }
  try {
    return gpu::choose_devices(list, names);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(error.what()) + "; known besides: auto, cpu");
  }
}

}  // namespace

bool chooses_engine(const Options& options) { return is_auto_word(options.device); }

void check_device_name(const std::string& name) {
  if (is_cpu_word(name) || is_auto_word(name)) return;
  static_cast<void>(named_devices(gpu::list_devices(), name));
}

AnalysisCosts analysis_costs(const Options& options) {
  if (is_cpu_word(options.device) || is_auto_word(options.device)) return {};
  const gpu::DeviceList list = gpu::list_devices();
  const std::string first = options.device.substr(0, options.device.find(','));
  const std::vector<Index> matching = gpu::matching_devices(list, first);
  // A name that means no device is refused when it is opened.
  return matching.empty() ? AnalysisCosts{}
                          : analysis_costs_on(gpu::device_at(list, matching.front()));
}

EngineChoice choose_engine(const Analysis& analysis, const Options& options, bool double_factor,
                           const EngineChoice& previous, const DeviceAccess& devices) {
  if (is_cpu_word(options.device)) return {options.device, {}, {}};
  if (is_auto_word(options.device)) {
    return choose_automatically(analysis, options, double_factor, previous, devices);
  }
  if (!previous.devices.empty() && previous.asked == options.device) {
    return {options.device, previous.devices, {}};
  }
  const gpu::DeviceList list = devices.list();
  EngineChoice choice{options.device, {}, {}};
  for (const Index device : named_devices(list, options.device)) {
    choice.devices.push_back(devices.open(gpu::device_at(list, device)));
  }
  return choice;
}

}  // namespace clchol::solver
