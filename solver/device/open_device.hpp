// Opens OpenCL devices, and makes engines (engine.hpp) on open devices.  In builds without OpenCL,
// without_opencl.cpp implements these functions, and no device can be opened.
#pragma once

#include <memory>
#include <string>

#include "gpu_kernels/devices/device_list.hpp"
#include "solver/analysis.hpp"
#include "solver/engine.hpp"

namespace clchol::gpu {
class DeviceRuntime;
}

namespace clchol::solver {

/// An open device.  Each engine on the device has a copy of this pointer, so the device is closed
/// when its last engine is destroyed.
using OpenDevice = std::shared_ptr<gpu::DeviceRuntime>;
/// Devices that share the work, in the order in which they were named.
using OpenDevices = std::vector<OpenDevice>;

/// Opens a device and probes its capabilities.  Throws DeviceError.
/// @param listed     the device's description in the list of devices.
/// @param profiling  whether the device's queues record the times of commands, for a trace.
OpenDevice open_device(const gpu::DeviceDescription& listed, bool profiling = false);

/// The name of the device.
std::string name_of(const OpenDevice& device);
/// The names of all devices, separated by commas.
std::string names_of(const OpenDevices& devices);
/// Whether all devices have double precision.
bool have_double(const OpenDevices& devices);

/// Returns the costs by which an analysis for this device merges fronts and compares orderings.
/// The costs come from two rows of the device's tuning data (kernel "analysis"), which hold for all
/// precisions.  Costs that these rows do not name have the values of the CPU.
///
///   variant        parameters of the row
///   "front_cost"   "front", "small_front", "small_rows": members of FrontCost with these names
///   "order_cost"   "flop_fs": femtoseconds per flop, for ChoiceOptions::seconds_per_flop;
///                  "entry_ps": picoseconds per entry of L, for ChoiceOptions::seconds_per_entry;
///                  "amd_us": microseconds, for ChoiceOptions::amd_seconds
AnalysisCosts analysis_costs_on(const gpu::DeviceDescription& listed);
/// Returns the costs, as the function above does, for a device that is open.
AnalysisCosts analysis_costs_on(const OpenDevice& device);

/// Makes an engine on these devices, or on fewer of them if that is predicted to be faster.  If the
/// devices' memory together is too small for the factor, the first device alone streams the factor.
/// Options::memory.device is the memory budget of each device.
/// @tparam F       scalar type of L: float or double.
/// @param devices  The devices.  Must have at least one element.
/// Throws OutOfMemory when the budget is too small even for a streamed factor.  Throws DeviceError
/// when a device fails, or when F is double and a device has no double precision.
template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevices& devices, const Analysis& analysis,
                                              const Options& options);

/// Predicts the bytes of device memory, summed over the devices, that the engine of
/// make_device_engine() with the same arguments would use for a factorization and a solve with one
/// right-hand side.  Allocates nothing on a device.  Throws as make_device_engine().
template <class F>
std::int64_t predict_device_bytes(const OpenDevices& devices, const Analysis& analysis,
                                  const Options& options);

/// Predicts memory and times of the ways (modes) in which an engine on the first device can make a
/// factor, for example with all of L in device memory, or streamed.  SparseCholesky::device_modes()
/// returns the result.  Throws as predict_device_bytes(), except that a budget that is too small is
/// no error.
template <class F>
std::vector<DeviceMode> predict_device_modes(const OpenDevices& devices, const Analysis& analysis,
                                             const Options& options);

}  // namespace clchol::solver
