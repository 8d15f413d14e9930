// The slabs of a plan (slab_plan.hpp): buffers, and the pieces in them.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/slab_plan.hpp"

namespace clchol::gpu {

/// The limits of a device for elements of `element_bytes`: its largest allocation, and the
/// alignment of its buffers.
SlabLimits slab_limits(const Device& device, std::size_t element_bytes);

/// The buffers of a plan, and its pieces in them.
template <class T>
class Slabs {
 public:
  Slabs() = default;
  Slabs(const Context& context, const SlabPlan& plan) {
    buffers_.reserve(plan.slab_sizes.size());
    for (const Offset size : plan.slab_sizes) buffers_.emplace_back(context, size);
  }

  /// A piece of `size` elements at its place.
  DeviceView<T> view(const SlabPlace& place, Offset size) const {
    return buffers_[static_cast<std::size_t>(place.slab)].part(place.offset, size);
  }
  const DeviceBuffer<T>& slab(Index s) const { return buffers_[static_cast<std::size_t>(s)]; }
  Index num_slabs() const { return static_cast<Index>(buffers_.size()); }

 private:
  std::vector<DeviceBuffer<T>> buffers_;
};

}  // namespace clchol::gpu
