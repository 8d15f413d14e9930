#include "gpu_kernels/runtime/slabs.hpp"

#include <algorithm>
#include <numeric>

namespace clchol::gpu {

SlabLimits slab_limits(const Device& device, std::size_t element_bytes) {
  SlabLimits limits;
  limits.max_slab = static_cast<Offset>(device.description.max_allocation_bytes / element_bytes);
  // Elements whose size does not divide the alignment begin where both do.
  limits.alignment = static_cast<Offset>(
      std::lcm(std::max<std::uint64_t>(device.base_alignment_bytes, 1), element_bytes) /
      element_bytes);
  return limits;
}

}  // namespace clchol::gpu
