#include "solver/device_engine.hpp"

#include "gpu_kernels/device.hpp"
#include "numeric/device_engine.hpp"

namespace clchol::solver {
namespace {

template <class F>
class DeviceEngine : public Engine<F> {
 public:
  DeviceEngine(const OpenDevice& device, const Analysis& analysis)
      : engine_(device, analysis.symbolic, analysis.plan) {}

  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override {
    return engine_.factorize(values, control);
  }
  void solve(const DenseView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override {
    if (!control.cancelled()) engine_.solve(x, forward, backward);
  }
  std::vector<F> diagonal() const override { return engine_.diagonal(); }
  std::int64_t peak_device_bytes() const override {
    return static_cast<std::int64_t>(engine_.runtime().context().memory()->peak());
  }

 private:
  numeric::DeviceEngine<F> engine_;
};

}  // namespace

OpenDevice open_device(const gpu::DeviceDescription& listed) {
  return std::make_shared<gpu::DeviceRuntime>(gpu::open_device(listed));
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
