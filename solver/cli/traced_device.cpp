#include "solver/cli/traced_device.hpp"

#include "gpu_kernels/device_runtime.hpp"
#include "solver/cli/device_choice.hpp"
#include "solver/device_trace.hpp"
#include "solver/use_device.hpp"

namespace clchol::cli {

struct TracedDevice::Impl {
  gpu::EventLog log;
  solver::OpenDevice device;
};

TracedDevice::TracedDevice(const std::string& name, SparseCholesky<double>& solver)
    : impl_(std::make_unique<Impl>()) {
  impl_->device = solver::open_device(choose_opencl_device(name), true);
  impl_->device->queue().set_log(&impl_->log);
  solver::use_device(solver, impl_->device);
}

TracedDevice::~TracedDevice() { impl_->device->queue().set_log(nullptr); }

void TracedDevice::add_commands(solver::Trace& trace) {
  const std::vector<gpu::LoggedEvent> commands = impl_->log.take();
  const gpu::ClockOffset clock = gpu::measure_clock_offset(impl_->device->queue());
  solver::add_commands(commands, clock, solver::name_of(impl_->device), trace);
}

}  // namespace clchol::cli
