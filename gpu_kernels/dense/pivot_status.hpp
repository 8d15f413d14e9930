// The struct in which kernels report a front's first failed pivot (kernels/dense/pivot_status.h),
// and a check of its layout, which host and kernels share.
#pragma once

#include "base/types.hpp"
// Must come after base/types.hpp, whose types it uses.
#include "gpu_kernels/kernels/dense/pivot_status.h"

namespace clchol::gpu {

static_assert(sizeof(PivotStatus<double>) == 16 && sizeof(PivotStatus<float>) == 12);

}  // namespace clchol::gpu
