// simd_target(): the name of the instruction set in use.
#include "numeric/dense/kernels.hpp"

#include "numeric/dense/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/dense/kernels.cpp"
#include <hwy/foreach_target.h>  // Includes this file again for every target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace clchol::numeric::dense {

HWY_EXPORT(target_name);

const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace clchol::numeric::dense
#endif  // HWY_ONCE
