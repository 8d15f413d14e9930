// Compiler options that choose REAL, the type of a kernel's values (kernels/runtime/common.cl).
#pragma once

#include <string>

#include "base/types.hpp"

namespace clchol::gpu {

/// @return the options for values of type T, which is double, float, Index or Offset.
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
