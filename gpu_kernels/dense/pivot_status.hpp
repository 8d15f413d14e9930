// The struct in which kernels tell of a front's pivots; checks that both sides lay it out alike.
#pragma once

#include "base/types.hpp"
// In this order: it uses the types.
#include "gpu_kernels/kernels/dense/pivot_status.h"

namespace clchol::gpu {

static_assert(sizeof(PivotStatus<double>) == 16 && sizeof(PivotStatus<float>) == 12);

}  // namespace clchol::gpu
