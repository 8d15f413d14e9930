// Options for the OpenCL compiler that define the macro REAL, the scalar type of a kernel's values
// (gpu_kernels/kernels/runtime/common.cl).
#pragma once

#include <string>

#include "base/types.hpp"

namespace clchol::gpu {

/// @return the options that define REAL as the OpenCL type of T, which must be double, float, Index
///         or Offset, and REAL_IS_FP64 as 1 when kernels need the extension cl_khr_fp64.
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
