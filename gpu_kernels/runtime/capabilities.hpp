// Capabilities of a device beyond the OpenCL features that all kernels need, found by probes.
//
// A probe is a small kernel (kernels/runtime/probe.cl) that uses one capability and writes numbers.
// The capability is present only if the kernel could be built and run, and has written the numbers
// that the host expects.  Otherwise the capability is absent, and reports show the reason.
//
// Inline PTX is NVIDIA's assembly language in `asm` statements of OpenCL C.  Its probes run only on
// NVIDIA's driver: other compilers may end the process when they meet an unknown instruction.  The
// probe in which work-groups wait for each other runs only on GPUs, and every wait gives up after a
// fixed number of tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Whether a device has one capability.
struct Capability {
  bool present = false;
  std::string reason = "not probed";  // Reason why the capability is absent.  Empty when present.
};

/// Capabilities and limits of one device.
struct Capabilities {
  Capability fp64;        // Double precision.
  Capability inline_ptx;  // `asm` statements with PTX instructions.
  // `shfl.sync`: a work-item reads a register of another work-item of its warp (of the 32
  // work-items that NVIDIA's hardware executes together).
  Capability warp_shuffle;
  // `mma` on fp64 tensor cores: a warp computes C := C + A B, with A 8 x 4 and B 4 x 8.
  Capability mma_m8n8k4;
  // `mma` on fp64 tensor cores: a warp computes C := C + A B, with A 16 x 16 and B 16 x 8.
  Capability mma_m16n8k16;
  Capability async_copy;  // `cp.async`: asynchronous copy from global to local memory.
  // `cp.async.bulk`: one work-item starts an asynchronous copy of many bytes to local memory, and
  // work-items wait for the end of the copy at an `mbarrier`, a barrier object in local memory.
  // This capability includes `elect.sync`, which chooses one work-item of a warp, and `redux.sync`,
  // which reduces integers over a warp.
  Capability bulk_copy;
  // Inside a kernel, a work-group may wait for a work-group with a lower ticket, and the wait ends.
  // Tickets are numbers that work-groups draw from a counter in device memory when they begin.
  Capability forward_progress;

  // Greatest number of bytes of local memory that a kernel's source may declare.
  std::uint64_t static_local_bytes = 0;
  std::uint64_t max_work_group_size = 0;  // Greatest number of work-items in a work-group.
  // Number of work-items of a warp (AMD: wavefront).  If the driver does not tell, this is the
  // multiple that the compiler prefers for a work-group's number of work-items.
  std::uint64_t warp_width = 0;
};

/// Sets `inline_ptx` and all capabilities that need inline PTX to the value `to`: `warp_shuffle`,
/// `mma_m8n8k4`, `mma_m16n8k16`, `async_copy` and `bulk_copy`.
void set_ptx(Capabilities& capabilities, const Capability& to);

/// Runs the probes on the device of the queue.  Takes up to a second per capability the first time,
/// and some milliseconds when the probes' programs are in the cache on disk.  A probe that fails
/// makes its capability absent.  Throws DeviceError only when the device fails outside of a probe.
Capabilities probe_capabilities(ProgramCache& programs, Queue& queue);

/// One probe: a kernel `probe(__global int* out)` and the numbers that it must write.
struct Probe {
  ProgramText text;
  Grid grid;                    // Work-groups of the launch.
  std::vector<Index> before;    // Contents of `out` before the launch.  Length expected.size().
  std::vector<Index> expected;  // Contents of `out` after the launch if the capability is present.
};

/// Builds and runs the probe, and compares the contents of `out` with probe.expected.  The returned
/// capability is absent if the contents differ from probe.expected, or if building or running the
/// probe throws DeviceError or InvalidArgument.
Capability run_probe(ProgramCache& programs, Queue& queue, const Probe& probe);

}  // namespace clchol::gpu
