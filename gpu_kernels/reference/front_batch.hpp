// The plain twin of kernels/fronts/front_batch.cl: same contract, one thread, front by front.
#pragma once

#include <span>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu::reference {

/// Partially factors every front, with its children's updates added: see the kernel file.  A front
/// without failure keeps status.column as it is.  Only diagonals and below are read and written.
void front_batch(std::span<const BatchFront> fronts, std::span<const BatchChild> children,
                 std::span<const Index> relind, std::span<double> panels, std::span<double> updates,
                 std::span<BatchStatus> status);

}  // namespace clchol::gpu::reference
