// Inner products and norms of vectors, on the device.  Kernels: kernels/dense/reduce.cl.
//
// n is the number of entries of a vector.  The order of additions depends on n alone, so results on
// one device are the same bits in every run.
// The error of a sum is at most (k + 10) eps times the sum of the terms' magnitudes.  Here
// k = ceil(n / (256 w)) is the number of terms that one work-item adds,
// w = min(floor(n / 2048) + 1, 256) is the number of work-groups, and eps is
// numeric_limits<T>::epsilon().
//
// norm2() gives infinity when the sum of squares overflows.  max_norm() gives NaN when an entry is
// NaN.  The result for an empty vector is 0.
//
// Each function enqueues two launches and returns.  Later commands of the queue can use the result.
// Cost: each vector is read once.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// How work-items exchange numbers in the last levels of a work-group's reduction tree, in which
/// only the work-items of one warp add.  The results are the same bits for all forms.
enum class WarpForm {
  kGeneric,      // Through local memory, with barriers.  Runs on any device.
  kWarpShuffle,  // A work-item reads a register of another work-item of its warp: NVIDIA's PTX
                 // instruction `shfl.sync`.
  kWarp64,       // Through local memory without barriers.  For AMD GCN and CDNA, whose warps of 64
                 // work-items run in lockstep.
};

/// Computes inner products and norms on the device.  Not thread-safe.  Launches of one object share
/// a workspace, so they must go to one in-order queue at a time: finish one queue before using
/// another.  T is double or float.
template <class T>
class Reduce {
 public:
  /// Builds the kernels and allocates this object's workspace.  Throws BuildError when the device's
  /// compiler refuses the kernels, for example because the device does not support `form` or T.  A
  /// caller that tries several forms should try kGeneric last.
  explicit Reduce(ProgramCache& programs, WarpForm form = WarpForm::kGeneric);

  /// Enqueues result[0] := sum_i x[i] * y[i].  Throws InvalidArgument when x and y have different
  /// sizes, and when `result` is empty.
  void dot(Queue& queue, DeviceView<const T> x, DeviceView<const T> y, DeviceView<T> result);
  /// Enqueues result[0] := sqrt(sum_i x[i]^2).  Throws InvalidArgument when `result` is empty.
  void norm2(Queue& queue, DeviceView<const T> x, DeviceView<T> result);
  /// Enqueues result[0] := max_i |x[i]|.  Throws InvalidArgument when `result` is empty.
  void max_norm(Queue& queue, DeviceView<const T> x, DeviceView<T> result);

  static constexpr Offset kWorkGroup = 256;      // Work-items of a work-group.
  static constexpr Offset kMaxWorkGroups = 256;  // Greatest number of work-groups in a launch.

 private:
  // Division of a vector's entries among the work-groups of the first launch.
  struct Split {
    Offset groups;  // Number of work-groups.
    Offset chunk;   // Number of consecutive entries that each work-group reduces to one number.
  };
  // Returns the division of a vector of n entries.
  static Split split(Offset n);

  Kernel dot_, squares_, max_;                     // First launch: one number per work-group.
  Kernel finish_dot_, finish_norm2_, finish_max_;  // Second launch: the result.
  // Workspace: result of each work-group of the first launch.  Length kMaxWorkGroups.
  DeviceBuffer<T> partial_;
};

}  // namespace clchol::gpu
