// The solve kernels for double, compiled once for each instruction set.
#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/dense/solve_kernels_double.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.

#include "numeric/dense/solve_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

const SolveKernels<double>& solve_kernels_double() { return make_solve_kernels<double>(); }

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric::dense {

HWY_EXPORT(solve_kernels_double);

template <>
const SolveKernels<double>& solve_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(solve_kernels_double)();
}

}  // namespace clchol::numeric::dense
#endif  // HWY_ONCE
