// Packs many blocks of elements into few buffers, the slabs, none larger than a device can
// allocate.  A block is, for example, the panels of one group of fronts.
//
// The plan needs no device: it gives each block a slab and an offset, so that the memory is known
// before any buffer is allocated.  Blocks keep their order.  Each begins at a multiple of the
// alignment, in the current slab if it fits, else in a new one.
//
//   slab 0: | block 0 | block 1 |pad| block 2 |     slab 1: | block 3 | ...
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Limits of slabs, in elements.
struct SlabLimits {
  Offset max_slab = 0;  // Most elements of a slab; at least 1.
  /// Most elements of a slab that holds several blocks; one block alone may have more.
  Offset usual = std::numeric_limits<Offset>::max();
  Offset alignment = 1;  // Blocks begin at multiples of this number of elements; at least 1.
};

/// A block of `size` elements takes elements [offset, offset + size) of slab `slab`.
struct SlabPlace {
  Index slab = 0;
  Offset offset = 0;
};

struct SlabPlan {
  std::vector<Offset> slab_sizes;  // Elements of each slab.
  std::vector<SlabPlace> places;   // Place of each block, in the order given.

  /// Elements of all slabs.
  Offset total() const;
};

/// Packs blocks of these sizes (elements, >= 0) into slabs.
/// @param opens  for each block, whether it opens a new slab in any case; may be empty: a new slab
///               is opened only when the current one is full.
/// Throws DeviceError for a block larger than limits.max_slab.
SlabPlan plan_slabs(std::span<const Offset> sizes, const SlabLimits& limits,
                    std::span<const char> opens = {});

}  // namespace clchol::gpu
