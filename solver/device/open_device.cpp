#include "solver/device/open_device.hpp"

#include <algorithm>

#include "gpu_kernels/devices/device.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"
#include "solver/device/opencl_engine.hpp"

namespace clchol::solver {

OpenDevice open_device(const gpu::DeviceDescription& listed, bool profiling) {
  return std::make_shared<gpu::DeviceRuntime>(
      gpu::open_device(listed), gpu::QueueOptions{.name = "engine", .profiling = profiling});
}

std::string name_of(const OpenDevice& device) { return device->device().name(); }
bool has_double(const OpenDevice& device) { return device->capabilities().fp64.present; }

namespace {

gpu::TuningParams analysis_row(const gpu::Tuning& tuning, const char* variant) {
  return tuning.find("analysis", variant, "double", [](const gpu::TuningParams& params) {
    return std::all_of(params.begin(), params.end(),
                       [](const auto& param) { return param.second >= 0; });
  });
}

/// to := the row's value of that name, times the unit, if it has one.
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

namespace {

/// Throws DeviceError where F is double and the device has none.
template <class F>
void require_precision(const OpenDevice& device) {
  if (sizeof(F) == sizeof(double) && !has_double(device)) {
    throw DeviceError("the device '" + name_of(device) + "' has no double precision (" +
                      device->capabilities().fp64.reason +
                      "); precision single and mixed need none");
  }
}

}  // namespace

template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevice& device, const Analysis& analysis,
                                              const Options& options) {
  require_precision<F>(device);
  return std::make_unique<OpenClEngine<F>>(device, analysis, options);
}

template <class F>
std::int64_t predict_device_bytes(const OpenDevice& device, const Analysis& analysis,
                                  const Options& options) {
  require_precision<F>(device);
  return OpenClEngine<F>::predict_bytes(device, analysis, options);
}

template <class F>
std::vector<DeviceMode> predict_device_modes(const OpenDevice& device, const Analysis& analysis,
                                             const Options& options) {
  require_precision<F>(device);
  return OpenClEngine<F>::predict_modes(device, analysis, options);
}

template std::vector<DeviceMode> predict_device_modes<double>(const OpenDevice&, const Analysis&,
                                                              const Options&);
template std::vector<DeviceMode> predict_device_modes<float>(const OpenDevice&, const Analysis&,
                                                             const Options&);
template std::unique_ptr<Engine<double>> make_device_engine(const OpenDevice&, const Analysis&,
                                                            const Options&);
template std::unique_ptr<Engine<float>> make_device_engine(const OpenDevice&, const Analysis&,
                                                           const Options&);
template std::int64_t predict_device_bytes<double>(const OpenDevice&, const Analysis&,
                                                   const Options&);
template std::int64_t predict_device_bytes<float>(const OpenDevice&, const Analysis&,
                                                  const Options&);

}  // namespace clchol::solver
