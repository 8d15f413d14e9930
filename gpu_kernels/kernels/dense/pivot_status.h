// The first failed pivot of a front: one text for C++ and OpenCL C.
//
// C++ includes it through gpu_kernels/dense/pivot_status.hpp; kernels include common.cl first.  A
// launch has one PivotStatus per front; only the front's work-groups write it.  All bytes 0xff: no
// pivot has failed.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
template <class T>
struct PivotStatus {
  Index column;  // Column of the first failed pivot, counted in the front.  -1: none failed.
  Index reserved;
  T value;  // Value of the failed pivot, before its square root is taken.
};
}  // namespace clchol::gpu
#else
typedef struct PivotStatus {
  Index column;
  Index reserved;
  real value;
} PivotStatus;
#endif
