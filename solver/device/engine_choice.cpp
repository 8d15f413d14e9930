#include "solver/device/engine_choice.hpp"

#include "base/number_text.hpp"
#include "gpu_kernels/devices/device_choice.hpp"

namespace clchol::solver {
namespace {

/// Predicted seconds of the factorizations on the CPU from which opening a device is worth it.
constexpr double kDeviceFrom = 0.3;
/// Clock cycles of the cost model per second.
constexpr double kCyclesPerSecond = 3e9;

std::string seconds_text(double seconds) { return general_text(seconds, 2) + " s"; }

double predicted_cpu_seconds(const Analysis& analysis, const Options& options) {
  return analysis.cpu_plan.total_cycles / kCyclesPerSecond / num_threads(options) *
         std::max(1, options.analysis.expected_factorizations);
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
  EngineChoice choice{engine_request(options), {}, {}};
  const double seconds = predicted_cpu_seconds(analysis, options);
  if (seconds < kDeviceFrom) {
    choice.reason =
        "the CPU takes about " + seconds_text(seconds) + ", less than opening a device is worth";
    return choice;
  }
  if (!previous.devices.empty() &&
      previous.request.names_same_devices(choice.request)) {  // Else somebody named the devices.
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

std::string no_gpu_text(const gpu::DeviceList& list, bool fp64) {
  return std::string("Options::engine is kOpenCl, but there is no OpenCL GPU") +
         (fp64 ? " with double precision" : "") +
         "; Options::devices may name one of: " + gpu::known_devices(list);
}

/// The listed devices that options name, or the first GPU when they name none.
std::vector<gpu::DeviceDescription> meant_devices(const gpu::DeviceList& list,
                                                  const Options& options, bool double_factor) {
  if (options.devices.empty()) {
    const gpu::DeviceDescription* const gpu = first_gpu(list, double_factor);
    // check_devices() has refused this, except where the diagonal of A turned out to be beyond
    // float: L is then in double, which needs a GPU with double precision.
    if (gpu == nullptr) throw DeviceError(no_gpu_text(list, double_factor));
    return {*gpu};
  }
  std::vector<gpu::DeviceDescription> meant;
  for (const Index device : gpu::choose_devices(list, options.devices)) {
    meant.push_back(gpu::device_at(list, device));
  }
  return meant;
}

}  // namespace

EngineRequest engine_request(const Options& options) {
  return {options.engine, options.devices, options.memory};
}

bool has_devices_open(const EngineChoice& previous, const Options& options, bool double_factor) {
  if (previous.devices.empty()) return false;
  const bool are_able = !options.devices.empty() || !double_factor || have_double(previous.devices);
  return are_able && previous.request.names_same_devices(engine_request(options));
}

bool chooses_engine(const Options& options) {
  return options.engine == EngineKind::kAuto && options.devices.empty();
}

void check_devices(const Options& options, bool double_factor, const DeviceAccess& devices) {
  if (options.engine == EngineKind::kCpu || chooses_engine(options)) return;
  const gpu::DeviceList list = devices.list();
  if (!options.devices.empty()) {
    static_cast<void>(gpu::choose_devices(list, options.devices));
  } else if (first_gpu(list, double_factor) == nullptr) {
    throw InvalidArgument(no_gpu_text(list, double_factor));
  }
}

AnalysisCosts analysis_costs(const Options& options, bool double_factor) {
  if (options.engine == EngineKind::kCpu || chooses_engine(options)) return {};
  const gpu::DeviceList list = gpu::list_devices();
  if (options.devices.empty()) {
    const gpu::DeviceDescription* const gpu = first_gpu(list, double_factor);
    return gpu == nullptr ? AnalysisCosts{} : analysis_costs_on(*gpu);
  }
  const std::vector<Index> matching = gpu::matching_devices(list, options.devices.front());
  // choose_engine() refuses a name that matches no device.
  return matching.empty() ? AnalysisCosts{}
                          : analysis_costs_on(gpu::device_at(list, matching.front()));
}

EngineChoice choose_engine(const Analysis& analysis, const Options& options, bool double_factor,
                           const EngineChoice& previous, const DeviceAccess& devices) {
  EngineChoice choice{engine_request(options), {}, {}};
  if (options.engine == EngineKind::kCpu) return choice;
  if (chooses_engine(options)) {
    return choose_automatically(analysis, options, double_factor, previous, devices);
  }
  if (has_devices_open(previous, options, double_factor)) {
    choice.devices = previous.devices;
    return choice;
  }
  for (const gpu::DeviceDescription& device :
       meant_devices(devices.list(), options, double_factor)) {
    choice.devices.push_back(devices.open(device));
  }
  return choice;
}

}  // namespace clchol::solver
