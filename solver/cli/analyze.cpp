// clchol analyze: predicts the work and the memory of a factorization.
#include "solver/cli/commands.hpp"
#include "solver/cli/device/device_choice.hpp"
#include "solver/cli/solve_memory.hpp"
#include "solver/cli/system.hpp"

namespace clchol::cli {
namespace {

void predict_on_device(Session& session, const SparseCholesky<double>& solver) {
  session.check_interrupt();
  std::string name;
  for (const gpu::DeviceDescription& device : choose_opencl_devices(session.arguments().device)) {
    name += (name.empty() ? "" : ", ") + device.name;
  }
  const std::vector<DeviceMode> modes = solver.device_modes();
  session.update([&](Record& r) {
    r.device_modes = modes;
    r.device = name;
  });
  session.check_interrupt();
  const std::int64_t bytes = solver.predict_device_bytes();
  session.update([&](Record& r) { r.predicted_device_bytes = bytes; });
}

}  // namespace

Verdict run_analyze(Session& session) {
  const Arguments& arguments = session.arguments();
  session.check_outputs();
  check_device(arguments.device);
  Options options = library_options(session);
  session.update([&](Record& r) { r.nrhs = arguments.nrhs; });
  const solver::SymmetricMatrix a = read_system(session, options);
  SparseCholesky<double> solver(options);
  // A solve would still have to allocate b and x.
  const std::int64_t vectors = 2 * vector_bytes(a.n(), arguments.nrhs);
  analyze_system(session, a, arguments.nrhs, vectors, solver);
  if (arguments.device != "auto" && arguments.device != "cpu") predict_on_device(session, solver);
  session.stop_clock();
  return {};
}

}  // namespace clchol::cli
