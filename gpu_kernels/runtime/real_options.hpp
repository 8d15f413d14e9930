// The value type of a kernel, as compiler options: the twin of kernels/runtime/common.cl.
#pragma once

#include <string>

#include "base/types.hpp"

namespace clchol::gpu {

/// "-DREAL=double -DREAL_IS_FP64=1".  For double, float, Index and Offset.
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
