// Chooses the engine of a factorization: the CPU engine, or an engine on OpenCL devices.
//
//   Options::engine   Options::devices   engine
//
//   kCpu              empty              the CPU engine
//   kAuto             empty              the CPU engine, if its predicted time is below 0.3 s or
//                                        there is no usable GPU; otherwise the first usable GPU
//   kOpenCl           empty              the first usable GPU
//   kAuto, kOpenCl    names              the named devices, which share the work
//
// The predicted time is the time of one factorization on the CPU, multiplied by
// AnalysisOptions::expected_factorizations: the number of factorizations that the caller expects to
// make with one analysis.
//
// A GPU is usable if its driver reports no error and, when L is in double, the GPU has double
// precision.  gpu_kernels/devices/device_choice.hpp describes the names of devices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/device/open_device.hpp"

namespace clchol::solver {

/// The options that decide which engine a factorization uses, and how much memory the engine may
/// have.  If one of these options differs from its value at the last factorization, the next
/// factorization makes a new engine.
struct EngineRequest {
  EngineKind engine = EngineKind::kAuto;  // Value of Options::engine.
  std::vector<std::string> devices;       // Names of devices, from Options::devices.
  MemoryOptions memory;                   // Limits of memory, from Options::memory.

  /// Whether both requests mean the same devices, whatever their memory options are.
  bool names_same_devices(const EngineRequest& other) const {
    return engine == other.engine && devices == other.devices;
  }
  friend bool operator==(const EngineRequest&, const EngineRequest&) = default;
};
/// Returns the request that consists of the members of `options`.
EngineRequest engine_request(const Options& options);

/// The engine that was chosen for a factorization.
struct EngineChoice {
  EngineRequest request;  // Options for which the choice was made.
  OpenDevices devices;    // Open devices on which the engine works.  Empty: the CPU engine.
  std::string reason;     // Why the library chose this engine.  Empty if the options name it.
};

/// Whether the open devices of a previous choice are the devices that the options mean now.
/// @param double_factor  whether L will be in double.  If so, and the options name no devices, the
///                       open devices must have double precision.
bool has_devices_open(const EngineChoice& previous, const Options& options, bool double_factor);

/// Whether the library, and not the caller, chooses between the CPU and a GPU: Options::engine is
/// kAuto and Options::devices is empty.  In this case, the CPU takes over when the GPU fails.
bool chooses_engine(const Options& options);

/// Returns the costs by which an analysis merges fronts and chooses an ordering: the costs of the
/// first named device; for kOpenCl without names, those of the first usable GPU; otherwise those of
/// the CPU.  (For kAuto without names, the engine may be a GPU, but the CPU must be able to take
/// over.)
/// @param double_factor  whether L will be in double, which decides what GPUs are usable.
/// Cost: starts every OpenCL driver if devices are named or the engine is kOpenCl.
AnalysisCosts analysis_costs(const Options& options, bool double_factor);

/// Functions that list and open devices.  The default functions list and open the machine's
/// devices.  Tests replace these functions by others that fail.  To record a trace, the program
/// `clchol` replaces `open` by a function that opens a device with profiling: the device's queues
/// then record the times of commands.
struct DeviceAccess {
  std::function<gpu::DeviceList()> list = &gpu::list_devices;
  std::function<OpenDevice(const gpu::DeviceDescription&)> open =
      [](const gpu::DeviceDescription& listed) { return solver::open_device(listed, false); };
};

/// Checks whether the devices that the options mean exist.  Throws InvalidArgument, with a list of
/// the available devices, for a name in Options::devices that matches no device, for a device that
/// is named twice, and for kOpenCl without names when there is no usable GPU.
/// @param double_factor  whether L will be in double, which decides what GPUs are usable.
/// Cost: starts every OpenCL driver if devices are named or the engine is kOpenCl.
void check_devices(const Options& options, bool double_factor, const DeviceAccess& devices = {});

/// Chooses the engine and opens the engine's devices.  Does not make the engine.  For kAuto without
/// names, a GPU that cannot be opened counts as absent.
/// @param double_factor  whether L will be in double, which decides what GPUs are usable.
/// @param previous       choice of the previous factorization.  If the options mean the same
///                       devices now, its open devices are used again.
/// Throws the exceptions of open_device().  Throws InvalidArgument when a name in Options::devices
/// matches no device, or when a device is named twice.  Throws DeviceError for kOpenCl without
/// names when there is no usable GPU.
///
/// SparseCholesky::factorize() calls check_devices() before it changes anything, so these errors
/// are found there, with one exception.  check_devices() looks for a GPU for the precision that the
/// options ask for.  If this is float, but the diagonal of A is beyond the range of float and must
/// not be scaled, L is in double.  If no GPU has double precision, only choose_engine() notices.
EngineChoice choose_engine(const Analysis& analysis, const Options& options, bool double_factor,
                           const EngineChoice& previous, const DeviceAccess& devices = {});

}  // namespace clchol::solver
