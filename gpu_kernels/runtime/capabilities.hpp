// What a device can do beyond the floor, found by building and running small kernels.
//
// A capability is present only when its kernel was built, run, and gave the right numbers;
// otherwise it is absent with the reason, which reports show.  Inline PTX is tried on NVIDIA's
// driver alone: other compilers may end the process over an instruction that they do not know.
// Waiting inside a kernel is tried on GPUs alone, with a bound on every wait.
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
  std::string reason = "not probed";  // Why it is absent; empty when present.
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

  std::uint64_t static_local_bytes = 0;  // Largest local array that a kernel may declare.
  std::uint64_t max_work_group_size = 0;
  std::uint64_t warp_width = 0;  // Warp or wavefront, or else the compiler's preferred multiple.
};

/// Sets all that inline PTX is needed for.
void set_ptx(Capabilities& capabilities, const Capability& to);

/// Probes the device of the queue: up to a second per capability the first time, some milliseconds
/// when the programs are cached.  Throws DeviceError only when the device fails outside of a probe.
Capabilities probe_capabilities(ProgramCache& programs, Queue& queue);

/// One probe: a kernel `probe(__global int* out)` and what it must write.
struct Probe {
  ProgramText text;
  Grid grid;
  std::vector<Index> before;  // What `out` holds first; as long as `expected`.
  std::vector<Index> expected;
};

/// Builds, runs and compares.  Everything that goes wrong makes the capability absent.
Capability run_probe(ProgramCache& programs, Queue& queue, const Probe& probe);

}  // namespace clchol::gpu
