// OpenCL devices as the solver sees them: opened, and made to factor.  In builds without OpenCL
// (without_opencl.cpp) none can be opened.
#pragma once

#include <memory>
#include <string>

#include "gpu_kernels/device_list.hpp"
#include "solver/analysis.hpp"
#include "solver/engine.hpp"

namespace clchol::gpu {
class DeviceRuntime;
}

namespace clchol::solver {

/// A device that is open; none is closed before the last engine on it.
using OpenDevice = std::shared_ptr<gpu::DeviceRuntime>;

/// Opens and probes it.  Throws DeviceError.
/// @param profiling  whether its commands know their times, for a trace.
OpenDevice open_device(const gpu::DeviceDescription& listed, bool profiling = false);

std::string name_of(const OpenDevice& device);

/// Throws DeviceError when the device fails, its memory does not do, or it has no fp64 and F is
/// double.
template <class F>
std::unique_ptr<Engine<F>> make_device_engine(const OpenDevice& device, const Analysis& analysis);

}  // namespace clchol::solver
