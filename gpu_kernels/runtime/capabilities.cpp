#include "gpu_kernels/runtime/capabilities.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "gpu_kernels/devices/embedded_text.hpp"

namespace clchol::gpu {
namespace {

constexpr Index kProbeWarp = 32;

// The text of probe.cl, which has all probes.
std::string_view probe_source() {
  for (const EmbeddedText& file : kernel_sources()) {
    if (file.name == "probe.cl") return file.text;
  }
  return {};
}

/// A probe of probe.cl, run by one work-group of `items` work-items.
struct NamedProbe {
  std::string options;
  Offset items = kProbeWarp;
  std::vector<Index> expected;
  std::vector<Index> before = {};  // First numbers of `out`; zeros follow.
};

Capability run_named(ProgramCache& programs, Queue& queue, const NamedProbe& named) {
  std::vector<Index> before = named.before;
  before.resize(named.expected.size(), 0);
  return run_probe(programs, queue,
                   {{"probe.cl", probe_source(), named.options},
                    work_groups_of(named.items, 1),
                    std::move(before),
                    named.expected});
}

std::vector<Index> counting(Index n) {
  std::vector<Index> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// out[l] = l + 1, except for the last work-item of the warp, which keeps its number.
std::vector<Index> shuffled() {
  std::vector<Index> numbers = counting(kProbeWarp);
  for (Index& number : numbers) number = std::min(number + 1, kProbeWarp - 1);
  return numbers;
}

// C + A * B, row by row, for the matrices of probe.cl.
std::vector<Index> product(Index m, Index n, Index k) {
  std::vector<Index> c;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      Index sum = i - j;
      for (Index p = 0; p < k; ++p) sum += (i + 2 * p) * (3 * p - j);
      c.push_back(sum);
    }
  }
  return c;
}

std::vector<Index> copied_behind() {
  std::vector<Index> numbers = counting(128);
  const std::vector<Index> same = numbers;
  numbers.insert(numbers.end(), same.begin(), same.end());
  return numbers;
}

// `asm` needs a language version from 2.0 on.
std::string ptx_options(const char* probe) {
  return std::string("-DPROBE=") + probe + " -cl-std=CL3.0";
}

void probe_ptx(ProgramCache& programs, Queue& queue, Capabilities& found) {
  const auto run = [&](const char* name, std::vector<Index> expected, Offset items = kProbeWarp) {
    return run_named(programs, queue, {ptx_options(name), items, std::move(expected)});
  };
  set_ptx(found, {false, "inline PTX is absent"});
  found.inline_ptx = run("PROBE_INLINE_PTX", {42}, 1);
  if (!found.inline_ptx.present) return;
  found.warp_shuffle = run("PROBE_WARP_SHUFFLE", shuffled());
  found.async_copy = run("PROBE_ASYNC_COPY", copied_behind());
  std::vector<Index> bulk = copied_behind();
  bulk.push_back(5);
  found.bulk_copy =
      run_named(programs, queue, {ptx_options("PROBE_BULK_COPY"), kProbeWarp, bulk, counting(128)});
  if (!found.fp64.present) {
    found.mma_m8n8k4 = found.mma_m16n8k16 = found.fp64;
    return;
  }
  found.mma_m8n8k4 = run("PROBE_MMA_M8N8K4", product(8, 8, 4));
  found.mma_m16n8k16 = run("PROBE_MMA_M16N8K16", product(16, 8, 16));
}

// Bytes of the largest local array that works in two work-groups for each compute unit.  NVIDIA
// reports 48 KiB and allows more for arrays that a kernel declares.
std::uint64_t probe_static_local(const ProgramCache& programs, const Queue& queue) {
  // The same OpenCL context and queue, without launch()'s check against the reported limit.
  Context unchecked(queue.context().device(), queue.context().get());
  unchecked.set_static_local_bytes(std::numeric_limits<std::uint64_t>::max());
  Queue same_queue(unchecked, queue.get());
  ProgramCache same_folder(unchecked, programs.folder());

  const DeviceDescription& device = unchecked.device().description;
  const auto groups = static_cast<std::size_t>(2) * device.compute_units;
  for (const std::uint64_t kib : {224, 192, 160, 128, 96, 64}) {
    const std::uint64_t bytes = kib << 10;
    if (bytes <= device.local_memory_bytes) break;
    const std::string options = "-DPROBE=PROBE_STATIC_LOCAL -DLOCAL_BYTES=" + std::to_string(bytes);
    const Capability fits =
        run_probe(same_folder, same_queue,
                  {{"probe.cl", probe_source(), options},
                   work_groups_of(128, static_cast<Offset>(groups)),
                   std::vector<Index>(groups, 0),
                   std::vector<Index>(groups, static_cast<Index>(bytes / 4 - 1))});
    if (fits.present) return bytes;
  }
  return device.local_memory_bytes;
}

Capability probe_forward_progress(ProgramCache& programs, Queue& queue) {
  const DeviceDescription& device = queue.context().device().description;
  if (device.kind != DeviceKind::kGpu) return {false, "tried on GPUs alone"};
  const auto groups = static_cast<std::size_t>(64) * device.compute_units;
  std::vector<Index> before(groups + 2, 0), expected(groups + 2, 1);
  before[1] = 1;
  expected[0] = static_cast<Index>(groups);
  return run_probe(programs, queue,
                   {{"probe.cl", probe_source(), "-DPROBE=PROBE_FORWARD_PROGRESS"},
                    work_groups_of(1, static_cast<Offset>(groups)),
                    std::move(before),
                    std::move(expected)});
}

Capability probe_fp64(ProgramCache& programs, Queue& queue) {
  if (!queue.context().device().description.fp64) {
    return {false, "the device has no double precision"};
  }
  return run_named(programs, queue, {"-DPROBE=PROBE_FP64", 1, {1 << 20, 1}});
}

// The driver's warp width; if it does not tell, the preferred multiple of a plain kernel.
std::uint64_t warp_width(ProgramCache& programs, const Device& device) {
  if (device.warp_width > 0) return static_cast<std::uint64_t>(device.warp_width);
  const ProgramText plain{"plain",
                          "__kernel void plain(__global int* x) { x[get_global_id(0)] = 0; }", ""};
  return programs.program(plain).kernel("plain").preferred_multiple();
}

}  // namespace

Capability run_probe(ProgramCache& programs, Queue& queue, const Probe& probe) try {
  const Context& context = queue.context();
  const Kernel kernel = programs.program(probe.text).kernel("probe");
  const DeviceBuffer<Index> out(context, static_cast<Offset>(probe.before.size()));
  upload<Index>(queue, probe.before, out);
  launch(queue, kernel, probe.grid, out);
  std::vector<Index> got(probe.expected.size());
  download<Index>(queue, out, got);
  const auto [wrong, expected] = std::mismatch(got.begin(), got.end(), probe.expected.begin());
  if (wrong == got.end()) return {true, ""};
  return {false, "wrong result: entry " + std::to_string(wrong - got.begin()) + " is " +
                     std::to_string(*wrong) + " instead of " + std::to_string(*expected)};
} catch (const DeviceError& error) {
  return {false, error.what()};
} catch (const InvalidArgument& error) {
  return {false, error.what()};
}

void set_ptx(Capabilities& capabilities, const Capability& to) {
  for (Capability* one :
       {&capabilities.inline_ptx, &capabilities.warp_shuffle, &capabilities.mma_m8n8k4,
        &capabilities.mma_m16n8k16, &capabilities.async_copy, &capabilities.bulk_copy}) {
    *one = to;
  }
}

Capabilities probe_capabilities(ProgramCache& programs, Queue& queue) {
  const Device& device = queue.context().device();
  Capabilities found;
  found.static_local_bytes = device.description.local_memory_bytes;
  found.max_work_group_size = device.description.max_work_group_size;
  found.warp_width = warp_width(programs, device);
  found.fp64 = probe_fp64(programs, queue);
  found.forward_progress = probe_forward_progress(programs, queue);
  if (device.has_extension("cl_nv_device_attribute_query")) {
    probe_ptx(programs, queue, found);
    found.static_local_bytes = probe_static_local(programs, queue);
  } else {
    set_ptx(found, {false, "not NVIDIA's driver"});
  }
  return found;
}

}  // namespace clchol::gpu
