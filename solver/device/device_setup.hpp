// Fills the struct DeviceSetup of the public reports (clchol/reports.hpp): how a device was set up,
// and how long that took.  Builds without OpenCL do not compile this file.
#pragma once

#include "clchol/reports.hpp"
#include "numeric/device/share.hpp"

namespace clchol::solver {

/// Returns a report in which the members are set that the share of a device knows
/// (DeviceShareSetup, numeric/device/share.hpp).  Other members have their default values.
inline DeviceSetup setup_of(const numeric::DeviceShareSetup& made) {
  DeviceSetup setup;
  setup.kernels = made.has_tensor_kernels ? FactorKernels::kTensorCores : FactorKernels::kPlain;
  setup.solve_kernels = made.solves_by_tickets ? SolveKernels::kTickets : SolveKernels::kWaves;
  setup.kernels_reason = made.kernels_reason;
  setup.plan_s = made.plan_s;
  setup.upload_s = made.upload_s;
  setup.pin_s = made.pin_s;
  setup.solve_columns = made.solve_columns;
  setup.unpinned_reason = made.unpinned_reason;
  setup.streamed_factor_s = made.streamed_factor_s;
  setup.streamed_solve_s = made.streamed_solve_s;
  return setup;
}

/// Adds the figures of one device to the report: the time of opening the device, the time of
/// building OpenCL programs, and the numbers of programs from source and from the cache on disk.
inline void add_runtime(const gpu::DeviceRuntime& runtime, DeviceSetup& setup) {
  const gpu::ProgramCacheCounts programs = runtime.programs().counts();
  setup.open_s += runtime.seconds();
  setup.build_s += programs.build_seconds;
  setup.built += programs.from_source;
  setup.cached += programs.from_disk;
}

}  // namespace clchol::solver
