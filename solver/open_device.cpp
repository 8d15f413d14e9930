#include "solver/open_device.hpp"

#include "gpu_kernels/device.hpp"
#include "solver/device_engine.hpp"

namespace clchol::solver {
OpenDevice open_device(const gpu::DeviceDescription& listed, bool profiling) {
  return std::make_shared<gpu::DeviceRuntime>(
      gpu::open_device(listed), gpu::QueueOptions{.name = "engine", .profiling = profiling});
}

std::string name_of(const OpenDevice& device) { return device->device().name(); }

template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevice& device, const Analysis& analysis) {
  const gpu::Capability& fp64 = device->capabilities().fp64;
  if (sizeof(F) == sizeof(double) && !fp64.present) {
    throw DeviceError("the device '" + name_of(device) + "' has no double precision (" +
                      fp64.reason + "); precision single and mixed need none");
  }
  return std::make_unique<DeviceEngine<F>>(device, analysis);
}

template std::unique_ptr<Engine<double>> make_device_engine(const OpenDevice&, const Analysis&);
template std::unique_ptr<Engine<float>> make_device_engine(const OpenDevice&, const Analysis&);

}  // namespace clchol::solver
