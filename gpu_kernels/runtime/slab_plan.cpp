#include "gpu_kernels/runtime/slab_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/assert.hpp"

namespace clchol::gpu {
namespace {

// x rounded up to a multiple of the alignment; the largest Offset if the result would overflow.
Offset aligned(Offset x, Offset alignment) {
  const Offset past = x % alignment;
  if (past == 0) return x;
  const Offset missing = alignment - past;
  return x > std::numeric_limits<Offset>::max() - missing ? std::numeric_limits<Offset>::max()
                                                          : x + missing;
}

[[noreturn]] void refuse(Offset size, Offset most) {
  throw DeviceError("a block of " + std::to_string(size) + " elements does not fit into one " +
                    "allocation of the device, which may have " + std::to_string(most));
}

}  // namespace

Offset SlabPlan::total() const {
  return std::accumulate(slab_sizes.begin(), slab_sizes.end(), Offset{0});
}

SlabPlan plan_slabs(std::span<const Offset> sizes, const SlabLimits& limits,
                    std::span<const char> opens) {
  CLCHOL_ASSERT(limits.max_slab > 0 && limits.alignment > 0);
  SlabPlan plan;
  plan.places.reserve(sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const Offset size = sizes[k];
    CLCHOL_ASSERT(size >= 0);
    if (size > limits.max_slab) refuse(size, limits.max_slab);
    if (plan.slab_sizes.empty()) plan.slab_sizes.push_back(0);
    // An empty block may have any offset.
    Offset begin = size == 0 ? 0 : aligned(plan.slab_sizes.back(), limits.alignment);
    const Offset most = std::min(limits.max_slab, limits.usual);
    const bool is_asked = k < opens.size() && opens[k] != 0;
    if (begin > 0 && size > 0 && (is_asked || begin > most - size)) {
      plan.slab_sizes.push_back(0);
      begin = 0;
    }
    plan.places.push_back({static_cast<Index>(plan.slab_sizes.size() - 1), begin});
    if (size > 0) plan.slab_sizes.back() = begin + size;
  }
  return plan;
}

}  // namespace clchol::gpu
