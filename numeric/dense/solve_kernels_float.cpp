// The solve kernels for float, compiled once for each instruction set.
#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/dense/solve_kernels_float.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.

#include "numeric/dense/solve_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

const SolveKernels<float>& solve_kernels_float() { return make_solve_kernels<float>(); }

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric::dense {

HWY_EXPORT(solve_kernels_float);

template <>
const SolveKernels<float>& solve_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(solve_kernels_float)();
}

}  // namespace clchol::numeric::dense
#endif  // HWY_ONCE
