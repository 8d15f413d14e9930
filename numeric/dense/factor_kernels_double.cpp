// The factorization kernels for double, compiled once for each instruction set.
#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/dense/factor_kernels_double.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.

#include "numeric/dense/factor_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

const FactorKernels<double>& factor_kernels_double() { return make_factor_kernels<double>(); }

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric::dense {

HWY_EXPORT(factor_kernels_double);

template <>
const FactorKernels<double>& factor_kernels<double>() {
  return HWY_DYNAMIC_DISPATCH(factor_kernels_double)();
}

}  // namespace clchol::numeric::dense
#endif  // HWY_ONCE
