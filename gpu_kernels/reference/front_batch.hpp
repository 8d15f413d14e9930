// Reference implementation of kernels/fronts/front_batch.cl on one thread of the CPU, front by
// front.  Operands and results are those of the kernel, except that the caller assembles A's
// entries.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu::reference {

/// For each front: adds the children's update matrices, factors the pivot columns, and computes the
/// update matrix unless the front is `panel_only`.  Reads and writes only entries on and below
/// diagonals.
/// @param fronts    all fronts, children before their parents.
/// @param children  update matrices that are added to fronts, in the order of additions.
/// @param relind    relative indices of all children: BatchChild::relind is an index.
/// @param panels    panels of all fronts, which must hold A's entries; receives L.
/// @param updates   update matrices of all fronts and of all children.
/// @param status    first failed pivot of each front.  Indexed by front.  The caller must set all
///                  `column` to kNone; elements of fronts without a failed pivot are not written.
void front_batch(std::span<const BatchFront> fronts, std::span<const BatchChild> children,
                 std::span<const Index> relind, std::span<double> panels, std::span<double> updates,
                 std::span<BatchStatus> status);

}  // namespace clchol::gpu::reference
