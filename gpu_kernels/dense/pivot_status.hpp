// The struct PivotStatus, in which kernels report a front's first failed pivot
// (kernels/dense/pivot_status.h), for C++.  An assertion checks that the host's compiler lays the
// struct out as OpenCL C does.
#pragma once

#include "base/types.hpp"
// The next header uses types of base/types.hpp and must come after it.
#include "gpu_kernels/kernels/dense/pivot_status.h"

namespace clchol::gpu {

static_assert(sizeof(PivotStatus<double>) == 16 && sizeof(PivotStatus<float>) == 12);

}  // namespace clchol::gpu
