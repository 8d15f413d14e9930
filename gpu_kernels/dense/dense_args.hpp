// The structs that dense kernels and the host share, and a check that both lay them out alike.
#pragma once

#include <type_traits>

#include "base/types.hpp"
// In this order: it uses the types.
#include "gpu_kernels/dense/pivot_status.hpp"
#include "gpu_kernels/kernels/dense/dense_args.h"

namespace clchol::gpu {

/// Entries that the inverses of a triangle's diagonal blocks take: whole squares.
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
