// Packs a large number of blocks of elements into few buffers, called slabs.  A block is, for
// example, the panels of one group of fronts.  No slab is larger than a given limit, for example
// the device's limit for one allocation.
//
// The plan gives each block a slab and an offset, and needs no device.  So the sizes of all buffers
// are known before a buffer is allocated.  Blocks are placed in their given order, at multiples of
// the alignment.  A block that does not fit into the current slab begins a new slab, which becomes
// the current slab.
//
//   slab 0: | block 0 | block 1 |pad| block 2 |     slab 1: | block 3 | ...
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::gpu {

/// Limits on the sizes of slabs, in elements.
struct SlabLimits {
  Offset max_slab = 0;  // Greatest number of elements in a slab, at least 1.
  /// Greatest number of elements in a slab that contains several blocks.  A slab with a single
  /// block may be larger, up to max_slab.
  Offset usual = std::numeric_limits<Offset>::max();
  Offset alignment = 1;  // Blocks begin at multiples of this number of elements, at least 1.
};

/// Position of a block.
struct SlabPlace {
  Index slab = 0;     // Index of the slab that contains the block.
  Offset offset = 0;  // Offset of the block's first element in the slab, in elements.
};

/// Sizes of all slabs and positions of all blocks.
struct SlabPlan {
  std::vector<Offset> slab_sizes;  // Elements of each slab.  Length: number of slabs.
  std::vector<SlabPlace> places;   // Position of each block.  Length: number of blocks.

  /// @return elements of all slabs together.
  Offset total() const;
};

/// Places blocks in slabs.
/// @param sizes  elements of each block, >= 0, in the order in which blocks are placed.
/// @param opens  nonzero: the block begins a new slab even if it fits into the current slab.
///               Length sizes.size(), or empty for zeros alone.
/// Throws DeviceError for a block of more than limits.max_slab elements.
SlabPlan plan_slabs(std::span<const Offset> sizes, const SlabLimits& limits,
                    std::span<const char> opens = {});

}  // namespace clchol::gpu
