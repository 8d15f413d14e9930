// Which engine a factorization takes: the CPU's, or one on OpenCL devices.
//
//   Options::engine   Options::devices   engine
//   kCpu              none               the CPU's
//   kAuto             none               the CPU's for systems that it factors in about 0.3 s;
//   larger
//                                        ones go to the first GPU that can, if there is one
//   kOpenCl           none               on the first GPU that can
//   kAuto, kOpenCl    names              on these devices (gpu_kernels/devices/device_choice.hpp),
//                                        which share the work
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/device/open_device.hpp"

namespace clchol::solver {

/// The options that decide which engine a factorization takes, and how large it may be.  When one
/// of them has changed, the next factorization makes a new engine.
struct EngineRequest {
  EngineKind engine = EngineKind::kAuto;
  std::vector<std::string> devices;
  MemoryOptions memory;

  bool names_same_devices(const EngineRequest& other) const {
    return engine == other.engine && devices == other.devices;
  }
  friend bool operator==(const EngineRequest&, const EngineRequest&) = default;
};
EngineRequest engine_request(const Options& options);

struct EngineChoice {
  EngineRequest request;  // That the choice answers.
  OpenDevices devices;    // Of the engine.  Empty: the CPU's engine.
  std::string reason;     // Why, where the library chose.
};

/// Whether the library chooses between the CPU and a GPU, so that the CPU takes over where the GPU
/// fails.
bool chooses_engine(const Options& options);

/// Throws InvalidArgument, with a list of the devices that there are, for a name in
/// Options::devices that means no device, and for a device that is named twice. Cost: starts every
/// OpenCL driver where devices are named.
void check_device_names(const Options& options);

/// The costs by which an analysis merges fronts and chooses an ordering: those of the first device
/// that is meant; those of the CPU under kAuto without names, as the CPU may have to take over.
/// @param double_factor  whether L will be in double, for the choice of the first GPU.
/// Cost: as check_device_names(), for kOpenCl too.
AnalysisCosts analysis_costs(const Options& options, bool double_factor);

/// The machine's devices.
struct DeviceAccess {
  std::function<gpu::DeviceList()> list = &gpu::list_devices;
  std::function<OpenDevice(const gpu::DeviceDescription&)> open =
      [](const gpu::DeviceDescription& listed) { return solver::open_device(listed, false); };
};

/// Opens the devices that are meant.  A GPU that the library chooses between and that fails to open
/// counts as absent.  Throws as check_device_names() and open_device(); InvalidArgument where
/// kOpenCl finds no GPU.
/// @param previous  the choice of the factorization before: its open devices serve again, if they
///                  are meant.
EngineChoice choose_engine(const Analysis& analysis, const Options& options, bool double_factor,
                           const EngineChoice& previous, const DeviceAccess& devices = {});

}  // namespace clchol::solver
