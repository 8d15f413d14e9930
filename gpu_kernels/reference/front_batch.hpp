// Reference implementation of kernels/fronts/front_batch.cl, on one thread of the CPU: assembles
// and factors a batch of fronts, one front after another.  Operands and results are those of the
// kernel, with one exception: the kernel can write A's entries into the panels; the reference
// requires panels that hold A's entries before the call.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu::reference {

/// For each front: adds the children's update matrices to the front, factors the pivot columns, and
/// computes the front's update matrix unless BatchFront::panel_only is 1.  Accesses only entries on
/// and below the diagonals of fronts.
///
/// A pivot fails unless it is a positive normal number.  The column of a front's first failed pivot
/// and all later pivot columns of the front become columns of the identity.
/// @param fronts    all fronts, children before their parents.
/// @param children  update matrices that are added to fronts, in the order of additions.
/// @param relind    relative indices of all children.  The relative indices of a child begin
///                  at the index BatchChild::relind.
/// @param panels    panels of all fronts, which must hold A's entries.  Receives L.
/// @param updates   update matrices of all fronts and of all children.
/// @param status    receives the first failed pivot of each front that has a failed pivot.  Indexed
///                  by front.  Before the call, the caller must set `column` of all elements to
///                  kNone, because elements of fronts without a failed pivot are not written.
void front_batch(std::span<const BatchFront> fronts, std::span<const BatchChild> children,
                 std::span<const Index> relind, std::span<double> panels, std::span<double> updates,
                 std::span<BatchStatus> status);

}  // namespace clchol::gpu::reference
