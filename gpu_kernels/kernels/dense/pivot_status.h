// The struct PivotStatus: the first failed pivot of one front.  C++ and OpenCL C both compile this
// file.
//
// C++ code includes this file through gpu_kernels/dense/pivot_status.hpp.  Kernel files include
// runtime/common.cl before this file.
//
// A list of PivotStatus in device memory has one element for each front.  Before a factorization,
// all bytes of the list are set to 0xff, so that `column` is -1: no pivot has failed.  Only the
// work-groups that factor a front write the front's element.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
template <class T>
struct PivotStatus {
  Index column;    // Column of the first failed pivot, numbered in the front.  -1: none failed.
  Index reserved;  // Not used, except that first_failure.cl stores the index of the front here.
  T value;         // Value of the failed pivot, before the square root is taken.
};
}  // namespace clchol::gpu
#else
// The same struct for kernels, whose type `real` stands for T.
typedef struct PivotStatus {
  Index column;
  Index reserved;
  real value;
} PivotStatus;
#endif
