// Many pieces in few buffers, none larger than a device can allocate: the plan.
//
// It needs no device: it says how many elements of which buffer every piece takes, so that the peak
// is known before anything is allocated.  Pieces keep their order; each begins at a multiple of the
// alignment, in the open slab if it fits there and in a new one if not.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// In elements.
struct SlabLimits {
  Offset max_slab = 0;  // Largest slab; at least 1.
  /// Largest slab that holds several pieces; one piece alone may have more.
  Offset usual = std::numeric_limits<Offset>::max();
  Offset alignment = 1;  // Every piece begins at a multiple of this number; at least 1.
};

/// Elements [offset, offset + size) of slab `slab`, size being the piece's.
struct SlabPlace {
  Index slab = 0;
  Offset offset = 0;
};

struct SlabPlan {
  std::vector<Offset> slab_sizes;  // Elements of each slab.
  std::vector<SlabPlace> places;   // One for each piece, in the order given.

  /// Elements of all slabs.
  Offset total() const;
};

/// Places for pieces of these sizes (elements, >= 0).
/// @param opens  by piece: whether it opens a slab; may be empty: where the one before is full.
/// Throws DeviceError for a piece larger than limits.max_slab.
SlabPlan plan_slabs(std::span<const Offset> sizes, const SlabLimits& limits,
                    std::span<const char> opens = {});

}  // namespace clchol::gpu
