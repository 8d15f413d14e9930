// What came of a front's pivots: one text for C++ and OpenCL C.
//
// C++ includes it through gpu_kernels/dense/pivot_status.hpp, kernels include common.cl first.  A
// launch has one of these for each front; a front's work-groups alone write it.  All bytes 0xff: no
// pivot has failed.
#ifdef __cplusplus
#pragma once
namespace clchol::gpu {
template <class T>
struct PivotStatus {
  Index column;  // Of the front, of its first pivot that failed.  -1: none.
  Index reserved;
  T value;  // That pivot before its root was taken.
};
}  // namespace clchol::gpu
#else
typedef struct PivotStatus {
  Index column;
  Index reserved;
  real value;
} PivotStatus;
#endif
