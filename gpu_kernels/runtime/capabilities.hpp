// Finds out by small kernels what a device can do beyond the OpenCL features that all kernels need.
//
// A capability is present only if its kernel was built and run and gave the right numbers.
// Otherwise it is absent, with the reason, which reports show.  Inline PTX is tried only on
// NVIDIA's driver: other compilers may end the process over an instruction that they do not know.
// Waiting inside a kernel is tried only on GPUs, with a bound on every wait.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

struct Capability {
  bool present = false;
  std::string reason = "not probed";  // Why the capability is absent; empty when present.
};

struct Capabilities {
  Capability fp64;
  Capability inline_ptx;
  Capability warp_shuffle;  // shfl.sync
  Capability mma_m8n8k4;    // fp64 tensor cores
  Capability mma_m16n8k16;
  Capability async_copy;        // cp.async
  Capability bulk_copy;         // cp.async.bulk, and what comes with it: mbarrier, elect.sync
  Capability forward_progress;  // A work-group may wait for one with a lower ticket.

  std::uint64_t static_local_bytes = 0;   // Bytes of the largest local array in a kernel.
  std::uint64_t max_work_group_size = 0;  // Work-items.
  // Work-items of a warp (AMD: wavefront); if the driver does not tell, the compiler's preferred
  // multiple of a work-group's size.
  std::uint64_t warp_width = 0;
};

/// Sets all capabilities that need inline PTX to `to`.
void set_ptx(Capabilities& capabilities, const Capability& to);

/// Probes the device of the queue.  Takes up to a second per capability the first time, and some
/// milliseconds when the programs are cached.  Throws DeviceError only when the device fails
/// outside of a probe.
Capabilities probe_capabilities(ProgramCache& programs, Queue& queue);

/// One probe: a kernel `probe(__global int* out)` and the numbers that it must write.
struct Probe {
  ProgramText text;
  Grid grid;
  std::vector<Index> before;    // Contents of `out` before the launch; as many as `expected`.
  std::vector<Index> expected;  // Contents of `out` after the launch.
};

/// Builds and runs the probe and compares its numbers.  Any error makes the capability absent.
Capability run_probe(ProgramCache& programs, Queue& queue, const Probe& probe);

}  // namespace clchol::gpu
