#include "solver/cli/device/traced_device.hpp"

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "solver/cli/device/device_choice.hpp"
#include "solver/device/device_trace.hpp"
#include "solver/device/use_device.hpp"

namespace clchol::cli {

struct TracedDevice::Impl {
  gpu::EventLog log;
  solver::OpenDevice device;
};

TracedDevice::TracedDevice(const std::string& name, SparseCholesky<double>& solver)
    : impl_(std::make_unique<Impl>()) {
  const auto open = [](const gpu::DeviceDescription& listed) {
    return solver::open_device(listed, true);
  };
  if (name == "auto") {
    solver::DeviceAccess devices;
    devices.open = open;
    impl_->device = solver::open_chosen_device(solver, devices);
  } else {
    impl_->device = open(choose_opencl_device(name));
    solver::use_device(solver, impl_->device);
  }
  if (is_open()) impl_->device->set_log(&impl_->log);
}

TracedDevice::~TracedDevice() {
  if (is_open()) impl_->device->set_log(nullptr);
}

bool TracedDevice::is_open() const { return impl_->device != nullptr; }

void TracedDevice::add_commands(solver::Trace& trace) {
  if (!is_open()) return;
  const std::vector<gpu::LoggedEvent> commands = impl_->log.take();
  const gpu::ClockOffset clock = gpu::measure_clock_offset(impl_->device->queue());
  const std::string device = solver::name_of(impl_->device);
  solver::add_commands(commands, clock, device, trace);
  solver::add_host_work(impl_->log.take_host(), device, trace);
}

}  // namespace clchol::cli
