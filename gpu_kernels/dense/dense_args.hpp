// The structs that the host passes to the dense kernels (kernels/dense/dense_args.h), for C++.
// Assertions check that the host's compiler lays the structs out as OpenCL C does.
#pragma once

#include <type_traits>

#include "base/types.hpp"
// The next two headers use types of base/types.hpp and must come after it.
#include "gpu_kernels/dense/pivot_status.hpp"
#include "gpu_kernels/kernels/dense/dense_args.h"

namespace clchol::gpu {

/// Returns the number of entries of memory for the inverses of one triangle's diagonal blocks.  The
/// inverse of each block is stored as a square of order `block`, even if the last block is smaller.
/// @param order  order of the triangle.
/// @param block  order of the diagonal blocks.
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
