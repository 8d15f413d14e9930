// The structs that the dense kernels and the host share (kernels/dense/dense_args.h), and checks
// that the host's and the device's layouts are equal.
#pragma once

#include <type_traits>

#include "base/types.hpp"
// Must come after base/types.hpp, whose types it uses.
#include "gpu_kernels/dense/pivot_status.hpp"
#include "gpu_kernels/kernels/dense/dense_args.h"

namespace clchol::gpu {

/// Entries of the inverses of a triangle's diagonal blocks.  Each is stored as a whole square of
/// order `block`.
/// @param order  of the triangle.
/// @param block  order of the diagonal blocks; the last block may be smaller.
constexpr Offset inverses_size(Index order, Index block) {
  return (Offset{order} + block - 1) / block * block * block;
}

static_assert(sizeof(MatrixProduct) == 72 && alignof(MatrixProduct) == 8);
static_assert(sizeof(MatrixTile) == 12);
static_assert(sizeof(FrontPanel) == 24 && alignof(FrontPanel) == 8);
static_assert(sizeof(PanelTile) == 16);
static_assert(sizeof(LowerTriangle) == 32 && alignof(LowerTriangle) == 8);
static_assert(sizeof(TriangleBlock) == 8);
static_assert(sizeof(RightSolve) == 24 && alignof(RightSolve) == 8);
static_assert(sizeof(SolveTile) == 8);

}  // namespace clchol::gpu
