// Chooses the engine of a factorization: the CPU engine, or an engine on OpenCL devices.
//
//   Options::engine   Options::devices   engine
//
//   kCpu              empty              CPU
//   kAuto             empty              CPU for systems that it factors within about 0.3 s;
//                                        for larger systems the first usable GPU, else the CPU
//   kOpenCl           empty              first usable GPU
//   kAuto, kOpenCl    names              the named devices, which share the work
//
// A GPU is usable when its driver reports no error and it has double precision where L needs it.
// gpu_kernels/devices/device_choice.hpp describes the names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/device/open_device.hpp"

namespace clchol::solver {

/// The options that decide which engine a factorization uses, and how much memory it may have.
/// When one of these options has changed, the next factorization makes a new engine.
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
  EngineRequest request;  // Options for which the choice was made.
  OpenDevices devices;    // Devices of the engine.  Empty: the CPU engine.
  std::string reason;     // Reason of the choice, if the library chose.
};

/// Whether the open devices of a former choice are those that the options mean now.
/// @param double_factor  whether L will be in double, for which the first GPU may be another one.
bool has_devices_open(const EngineChoice& previous, const Options& options, bool double_factor);

/// Whether the library chooses between the CPU and a GPU.  If it does, the CPU takes over when the
/// GPU fails.
bool chooses_engine(const Options& options);

/// Returns the costs by which an analysis merges fronts and chooses an ordering: the costs of the
/// first named device, or of the first GPU for kOpenCl without names.  Under kAuto without names
/// these are the costs of the CPU, because the CPU may have to take over.
/// @param double_factor  whether L will be in double, for the choice of the first GPU.
/// Cost: starts every OpenCL driver if devices are named or the engine is kOpenCl.
AnalysisCosts analysis_costs(const Options& options, bool double_factor);

/// Functions that list and open devices.  The defaults are for the machine's devices; tests and
/// traces replace them.
struct DeviceAccess {
  std::function<gpu::DeviceList()> list = &gpu::list_devices;
  std::function<OpenDevice(const gpu::DeviceDescription&)> open =
      [](const gpu::DeviceDescription& listed) { return solver::open_device(listed, false); };
};

/// Throws InvalidArgument, with a list of the available devices, for a name in Options::devices
/// that matches no device, for a device that is named twice, and for kOpenCl without names where
/// there is no GPU that can.  Cost: starts every OpenCL driver if options mean OpenCL devices.
/// @param double_factor  whether L will be in double.
void check_devices(const Options& options, bool double_factor, const DeviceAccess& devices = {});

/// Chooses the engine and opens its devices.  Under kAuto without names, a GPU that fails to open
/// counts as absent.  Throws as open_device(); InvalidArgument for bad names, and DeviceError where
/// kOpenCl finds no GPU: check_devices() refuses these before.
/// @param previous  choice of the previous factorization.  Its open devices are used again if the
///                  options mean the same devices.
EngineChoice choose_engine(const Analysis& analysis, const Options& options, bool double_factor,
                           const EngineChoice& previous, const DeviceAccess& devices = {});

}  // namespace clchol::solver
