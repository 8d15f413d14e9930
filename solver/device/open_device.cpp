#include "solver/device/open_device.hpp"

#include <algorithm>

#include "base/scalar_traits.hpp"
#include "gpu_kernels/devices/device.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"
#include "solver/device/opencl_engine.hpp"
#include "solver/device/team_engine.hpp"

namespace clchol::solver {

OpenDevice open_device(const gpu::DeviceDescription& listed, bool profiling) {
  return std::make_shared<gpu::DeviceRuntime>(
      gpu::open_device(listed), gpu::QueueOptions{.name = "engine", .profiling = profiling});
}

std::string name_of(const OpenDevice& device) { return device->device().name(); }
std::string names_of(const OpenDevices& devices) {
  std::string names;
  for (const OpenDevice& device : devices) names += (names.empty() ? "" : ", ") + name_of(device);
  return names;
}
bool have_double(const OpenDevices& devices) {
  return std::ranges::all_of(
      devices, [](const OpenDevice& device) { return device->capabilities().fp64.present; });
}

namespace {

gpu::TuningParams analysis_row(const gpu::Tuning& tuning, const char* variant) {
  return tuning.find("analysis", variant, "double", [](const gpu::TuningParams& params) {
    return std::all_of(params.begin(), params.end(),
                       [](const auto& param) { return param.second >= 0; });
  });
}

/// Sets `to` to the row's value `name` times `unit`, if the row has this value.
template <class T>
void take(const gpu::TuningParams& row, const char* name, T& to, double unit = 1) {
  const auto param = row.find(name);
  if (param != row.end()) to = static_cast<T>(param->second * unit);
}

}  // namespace

AnalysisCosts analysis_costs_on(const gpu::DeviceDescription& listed) {
  const gpu::Tuning tuning(listed.name, gpu::tuning_folder(gpu::default_cache_folder()));
  AnalysisCosts costs;
  const gpu::TuningParams front = analysis_row(tuning, "front_cost");
  take(front, "front", costs.front.front);
  take(front, "small_front", costs.front.small_front);
  take(front, "small_rows", costs.front.small_rows);
  const gpu::TuningParams order = analysis_row(tuning, "order_cost");
  take(order, "flop_fs", costs.order.seconds_per_flop, 1e-15);
  take(order, "entry_ps", costs.order.seconds_per_entry, 1e-12);
  take(order, "amd_us", costs.order.amd_seconds, 1e-6);
  return costs;
}

AnalysisCosts analysis_costs_on(const OpenDevice& device) {
  return analysis_costs_on(device->device().description);
}

namespace {

/// Throws DeviceError when F is double and a device has no double precision.
template <class F>
void require_precision(const OpenDevices& devices) {
  for (const OpenDevice& device : devices) {
    if (kIsDouble<F> && !device->capabilities().fp64.present) {
      throw DeviceError("the device '" + name_of(device) + "' has no double precision (" +
                        device->capabilities().fp64.reason +
                        "); precision single and mixed need none");
    }
  }
}

}  // namespace

template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevices& devices, const Analysis& analysis,
                                              const Options& options) {
  require_precision<F>(devices);
  if (devices.size() == 1) {
    return std::make_unique<OpenClEngine<F>>(devices.front(), analysis, options);
  }
  return make_team_engine<F>(devices, analysis, options);
}

template <class F>
std::int64_t predict_device_bytes(const OpenDevices& devices, const Analysis& analysis,
                                  const Options& options) {
  require_precision<F>(devices);
  return devices.size() == 1 ? OpenClEngine<F>::predict_bytes(devices.front(), analysis, options)
                             : predict_team_bytes<F>(devices, analysis, options);
}

template <class F>
std::vector<DeviceMode> predict_device_modes(const OpenDevices& devices, const Analysis& analysis,
                                             const Options& options) {
  require_precision<F>(devices);
  return OpenClEngine<F>::predict_modes(devices.front(), analysis, options);
}

template std::unique_ptr<Engine<double>> make_device_engine(const OpenDevices&, const Analysis&,
                                                            const Options&);
template std::int64_t predict_device_bytes<double>(const OpenDevices&, const Analysis&,
                                                   const Options&);
template std::vector<DeviceMode> predict_device_modes<double>(const OpenDevices&, const Analysis&,
                                                              const Options&);
template std::unique_ptr<Engine<float>> make_device_engine(const OpenDevices&, const Analysis&,
                                                           const Options&);
template std::int64_t predict_device_bytes<float>(const OpenDevices&, const Analysis&,
                                                  const Options&);
template std::vector<DeviceMode> predict_device_modes<float>(const OpenDevices&, const Analysis&,
                                                             const Options&);

}  // namespace clchol::solver
