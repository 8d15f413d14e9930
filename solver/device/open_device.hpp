// OpenCL devices as the solver sees them: opened, and made to factor.  In builds without OpenCL
// (without_opencl.cpp) none can be opened.
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

/// A device that is open; none is closed before the last engine on it.
using OpenDevice = std::shared_ptr<gpu::DeviceRuntime>;
/// Devices that share the work, in the order in which they were named.
using OpenDevices = std::vector<OpenDevice>;

/// Opens and probes it.  Throws DeviceError.
/// @param profiling  whether its commands know their times, for a trace.
OpenDevice open_device(const gpu::DeviceDescription& listed, bool profiling = false);

std::string name_of(const OpenDevice& device);
/// All names, with commas between.
std::string names_of(const OpenDevices& devices);
/// Whether all have double precision.
bool have_double(const OpenDevices& devices);

/// What the analysis goes by for that device: rows "analysis" of its tuning data, for all
/// precisions; what they do not name is the CPU's.
///
///   "front_cost"   members of FrontCost, in its units
///   "order_cost"   of ChoiceOptions: "flop_fs", "entry_ps" (femto- and picoseconds), "amd_us"
AnalysisCosts analysis_costs_on(const gpu::DeviceDescription& listed);
/// The same for a device that is open.
AnalysisCosts analysis_costs_on(const OpenDevice& device);

/// An engine on these devices, at least one, or on fewer of them where that is faster.  Options'
/// budget of device memory is that of each.  A factor that does not fit several devices is streamed
/// by the first one.
/// Throws OutOfMemory when the memory that they may use does not do, DeviceError when a device
/// fails, or has no fp64 and F is double.
template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevices& devices, const Analysis& analysis,
                                              const Options& options);

/// What such an engine would take of the devices' memory, all together; nothing is allocated.
/// Throws as make_device_engine().
template <class F>
std::int64_t predict_device_bytes(const OpenDevices& devices, const Analysis& analysis,
                                  const Options& options);

/// What the ways to make such an engine on the first of the devices would take:
/// SparseCholesky::device_modes().  Throws as predict_device_bytes(), but for budgets.
template <class F>
std::vector<DeviceMode> predict_device_modes(const OpenDevices& devices, const Analysis& analysis,
                                             const Options& options);

}  // namespace clchol::solver
