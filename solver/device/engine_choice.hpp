// Which engine a factorization takes: the CPU's or one on an OpenCL device.
//
//   cpu          the CPU engine
//   auto         the CPU engine for systems that it factors in about 0.3 s; larger ones on
//                the first GPU that can, if there is one
//   other names  the OpenCL device that is meant (gpu_kernels/devices/device_choice.hpp); between
//                commas, several that share the work
#pragma once

#include <functional>
#include <string>

#include "solver/device/open_device.hpp"

namespace clchol::solver {

struct EngineChoice {
  std::string asked;    // Options::device that it answers.
  OpenDevices devices;  // None: the CPU engine.
  std::string reason;   // Why, where the library chose.
};

/// Whether the library chooses, so that the CPU takes over where its choice fails.
bool chooses_engine(const Options& options);

/// Throws InvalidArgument for a name that means no device, and for a device that is named twice;
/// what it says lists those that there are.  Cost: starts every OpenCL driver, but for `cpu` and
/// `auto`.
void check_device_name(const std::string& name);

/// What the analysis goes by: costs on the first device that options name, if they name one;
/// otherwise the CPU's, for `auto` too, where the CPU takes over when a device fails.
/// Cost: as check_device_name().
AnalysisCosts analysis_costs(const Options& options);

/// The machine's devices.
struct DeviceAccess {
  std::function<gpu::DeviceList()> list = &gpu::list_devices;
  std::function<OpenDevice(const gpu::DeviceDescription&)> open =
      [](const gpu::DeviceDescription& listed) { return solver::open_device(listed, false); };
};

/// Opens the devices that are meant.  For `auto`, a device that fails to open counts as absent.
/// Throws as check_device_name() and open_device().
/// @param previous  the choice of the factorization before: its devices, if they are meant, are
/// taken.
EngineChoice choose_engine(const Analysis& analysis, const Options& options, bool double_factor,
                           const EngineChoice& previous, const DeviceAccess& devices = {});

}  // namespace clchol::solver
