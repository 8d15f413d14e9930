#include "solver/cli/device/traced_device.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "solver/device/device_trace.hpp"
#include "solver/device/use_device.hpp"
#include "solver/trace/host_trace.hpp"

namespace clchol::cli {

struct TracedDevice::Impl {
  struct Traced {
    solver::OpenDevice device;
    std::unique_ptr<gpu::EventLog> log;
    std::string track;  // Name of the device in the trace; numbered if there are several devices.
  };
  std::vector<Traced> traced;

  void follow(const solver::OpenDevices& devices) {
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const std::string name = solver::name_of(devices[d]);
      traced.push_back({devices[d], std::make_unique<gpu::EventLog>(),
                        devices.size() == 1 ? name : std::to_string(d + 1) + ": " + name});
      devices[d]->set_log(traced.back().log.get());
    }
  }
};

TracedDevice::TracedDevice(SparseCholesky<double>& solver) : impl_(std::make_unique<Impl>()) {
  solver::DeviceAccess devices;
  devices.open = [](const gpu::DeviceDescription& listed) {
    return solver::open_device(listed, true);
  };
  impl_->follow(solver::open_chosen_devices(solver, devices));
}

TracedDevice::~TracedDevice() {
  for (const Impl::Traced& of : impl_->traced) of.device->set_log(nullptr);
}

bool TracedDevice::is_open() const { return !impl_->traced.empty(); }

void TracedDevice::add_commands(solver::Trace& trace) {
  for (const Impl::Traced& of : impl_->traced) {
    const std::vector<gpu::LoggedEvent> commands = of.log->take();
    const gpu::ClockOffset clock = gpu::measure_clock_offset(of.device->queue());
    solver::add_commands(commands, clock, of.track, trace);
    HostLog& host = of.log->host();
    solver::add_host_work(host.take_work(), of.track, trace);
    std::vector<solver::TraceChange> changes =
        solver::changes_of(of.log->take_changes(), clock, trace);
    std::ranges::move(solver::take_changes(host, trace), std::back_inserter(changes));
    solver::add_memory(std::move(changes), host.budgets(), of.track, trace);
  }
}

}  // namespace clchol::cli
