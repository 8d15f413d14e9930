// Opens OpenCL devices, and makes engines on them.  In builds without OpenCL (without_opencl.cpp)
// no device can be opened.
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

/// An open device.  Its engines share the pointer, so the device is closed after its last engine.
using OpenDevice = std::shared_ptr<gpu::DeviceRuntime>;
/// Devices that share the work, in the order in which they were named.
using OpenDevices = std::vector<OpenDevice>;

/// Opens and probes a device.  Throws DeviceError.
/// @param profiling  whether the queue records the times of its commands, for a trace.
OpenDevice open_device(const gpu::DeviceDescription& listed, bool profiling = false);

std::string name_of(const OpenDevice& device);
/// The names of all devices, separated by commas.
std::string names_of(const OpenDevices& devices);
/// Whether all devices have double precision.
bool have_double(const OpenDevices& devices);

/// Returns the costs by which an analysis for this device works.  The costs come from the rows
/// "analysis" of the device's tuning data, which hold for all precisions.  Costs that these rows do
/// not name are those of the CPU.
///
///   row            values
///   "front_cost"   "front", "small_front", "small_rows": the members of FrontCost, in its units
///   "order_cost"   "flop_fs": femtoseconds per flop; "entry_ps": picoseconds per entry of L;
///                  "amd_us": microseconds of ChoiceOptions::amd_seconds
AnalysisCosts analysis_costs_on(const gpu::DeviceDescription& listed);
/// The same for a device that is open.
AnalysisCosts analysis_costs_on(const OpenDevice& device);

/// Makes an engine on these devices, at least one, or on fewer of them if that is faster.
/// Options::memory.device is the budget of each device.  A factor that does not fit in the memory
/// of several devices is streamed by the first device alone.
/// Throws OutOfMemory when the budget is too small even for a streamed factor.  Throws DeviceError
/// when a device fails, or has no double precision and F is double.
template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevices& devices, const Analysis& analysis,
                                              const Options& options);

/// Predicts the bytes of memory that such an engine would use, summed over the devices.  Allocates
/// nothing on a device.  Throws as make_device_engine().
template <class F>
std::int64_t predict_device_bytes(const OpenDevices& devices, const Analysis& analysis,
                                  const Options& options);

/// Predicts memory and times of several modes of an engine on the first device:
/// SparseCholesky::device_modes().  Throws as predict_device_bytes(), except for small budgets.
template <class F>
std::vector<DeviceMode> predict_device_modes(const OpenDevices& devices, const Analysis& analysis,
                                             const Options& options);

}  // namespace clchol::solver
