// Reference implementation of kernels/fronts/front_batch.cl: same operands and results, one
// thread, front by front.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu::reference {

/// Adds the children's update matrices to every front and factors it partially, as the kernel file
/// says.  Panels must hold A's entries before.  Only entries on and below diagonals are read and
/// written.
/// @param status  one for each front, column = -1 before.  The status of a front without a failed
///                pivot is not written.
void front_batch(std::span<const BatchFront> fronts, std::span<const BatchChild> children,
                 std::span<const Index> relind, std::span<double> panels, std::span<double> updates,
                 std::span<BatchStatus> status);

}  // namespace clchol::gpu::reference
