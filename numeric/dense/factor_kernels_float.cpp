// The factorization kernels for float, compiled once for each instruction set.
#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/dense/factor_kernels_float.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.

#include "numeric/dense/factor_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

const FactorKernels<float>& factor_kernels_float() { return make_factor_kernels<float>(); }

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric::dense {

HWY_EXPORT(factor_kernels_float);

template <>
const FactorKernels<float>& factor_kernels<float>() {
  return HWY_DYNAMIC_DISPATCH(factor_kernels_float)();
}

}  // namespace clchol::numeric::dense
#endif  // HWY_ONCE
