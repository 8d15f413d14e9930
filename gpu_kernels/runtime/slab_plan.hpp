// Packs many blocks of elements into few buffers, called slabs.  A block is, for example, the
// panels of one group of fronts.  No slab is larger than a given limit, for example the device's
// limit for one allocation.
//
// The plan gives each block a slab and an offset in the slab.  Making the plan needs no device, so
// the sizes of all buffers are known before the first buffer is allocated.  Blocks are placed in
// the given order, at offsets that are multiples of the alignment.  A block that does not fit into
// the current slab begins a new slab, which becomes the current slab.
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
  Offset max_slab = 0;  // Greatest number of elements in a slab.  Must be at least 1.
  /// Greatest number of elements in a slab that contains several blocks.  A slab with a single
  /// block may have up to max_slab elements.
  Offset usual = std::numeric_limits<Offset>::max();
  // The offset of each block in its slab is a multiple of this number of elements.  Must be at
  // least 1.
  Offset alignment = 1;
};

/// Location of a block: its slab, and its offset in the slab.
struct SlabPlace {
  Index slab = 0;     // Index of the slab that contains the block.
  Offset offset = 0;  // Offset of the block's first element in the slab, in elements.
};

/// Sizes of all slabs and locations of all blocks.
struct SlabPlan {
  std::vector<Offset> slab_sizes;  // Number of elements of each slab.  Length: number of slabs.
  std::vector<SlabPlace> places;   // Location of each block.  Length: number of blocks.

  /// @return the sum of slab_sizes.
  Offset total() const;
};

/// Assigns a slab and an offset to each block.  A block of 0 elements gets offset 0 in the current
/// slab, and never begins a new slab, whatever `opens` says.
/// @param sizes  number of elements of each block, >= 0, in the order in which blocks are placed.
/// @param opens  opens[k] is nonzero if block k has to begin a new slab even where it would fit
///               into the current slab.  If the current slab has no elements yet, block k is placed
///               in the current slab.  Length sizes.size().  Empty: a block begins a new slab only
///               if it does not fit into the current slab.
/// Throws DeviceError when a block has more than limits.max_slab elements.
SlabPlan plan_slabs(std::span<const Offset> sizes, const SlabLimits& limits,
                    std::span<const char> opens = {});

}  // namespace clchol::gpu
