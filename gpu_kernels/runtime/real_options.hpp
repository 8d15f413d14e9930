// Compiler options that set a kernel's value type REAL, which kernels/runtime/common.cl uses.
#pragma once

#include <string>

#include "base/types.hpp"

namespace clchol::gpu {

/// Options for T, as "-DREAL=double -DREAL_IS_FP64=1".  T: double, float, Index, Offset.
template <class T>
std::string real_options();

template <>
inline std::string real_options<double>() {
  return "-DREAL=double -DREAL_IS_FP64=1";
}
template <>
inline std::string real_options<float>() {
  return "-DREAL=float -DREAL_IS_FP64=0";
}
template <>
inline std::string real_options<Index>() {
  return "-DREAL=int -DREAL_IS_FP64=0";
}
template <>
inline std::string real_options<Offset>() {
  return "-DREAL=long -DREAL_IS_FP64=0";
}

}  // namespace clchol::gpu
