// The commands that need OpenCL, for builds without OpenCL: they fail.
#include "solver/cli/commands.hpp"
#include "solver/cli/device/device_choice.hpp"
#include "solver/cli/device/traced_device.hpp"

namespace clchol::cli {

int run_bench_kernels(const Arguments& arguments) {
  choose_opencl_device(arguments.device);  // Throws, because there is no device.
  return exit_code(Outcome::kDeviceFailure);
}

int run_tune(const Arguments& arguments) { return run_bench_kernels(arguments); }

struct TracedDevice::Impl {};
// check_device() has refused the names of devices.
TracedDevice::TracedDevice(SparseCholesky<double>& /*solver*/) {}
TracedDevice::~TracedDevice() = default;
bool TracedDevice::is_open() const { return false; }
void TracedDevice::add_commands(solver::Trace& /*trace*/) {}

}  // namespace clchol::cli
