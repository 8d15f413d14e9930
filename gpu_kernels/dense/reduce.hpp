// Reductions of vectors to one number, on the device.  Kernels: kernels/dense/reduce.cl.
//
// n is the number of entries of a vector.  The order of each sum depends on n alone, so results are
// bitwise reproducible on one device.
// Error of a sum: at most (k + 10) eps times the sum of the terms' magnitudes.  Here k is the
// number of terms that one work-item adds, ceil(n / (256 w)) for w work-groups with w <= 256, and
// eps is numeric_limits<T>::epsilon().
//
// norm2() can overflow.  max_norm() gives NaN when an entry is NaN.  Empty vectors give 0.
//
// Each function enqueues two launches and returns.  Later commands of the queue can use the result.
// Cost: one pass over the operands.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// How work-items exchange values in the last levels of a work-group's reduction tree, where one
/// warp is enough.  All forms give the same bits.
enum class WarpForm {
  kGeneric,      // Through local memory, with barriers.  Runs on any device.
  kWarpShuffle,  // Through registers, by the instruction `shfl.sync` of NVIDIA's PTX.
  kWarp64,       // Through local memory without barriers: for AMD GCN and CDNA, whose warps of 64
                 // work-items run in lockstep.
};

/// Computes inner products and norms on the device.  Not thread-safe.  Launches of one object share
/// a workspace, so they must go to one in-order queue at a time: finish a queue before using
/// another one.  T is double or float.
template <class T>
class Reduce {
 public:
  /// Builds the kernels and allocates the workspace.  Throws BuildError when the device does not
  /// support `form` or T.  A caller that tries several forms should try kGeneric last.
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
  // How a vector is divided among the work-groups of the first launch.
  struct Split {
    Offset groups;  // Number of work-groups.
    Offset chunk;   // Consecutive entries that each work-group reduces to one number.
  };
  // Returns the division of a vector of n entries.
  static Split split(Offset n);

  Kernel dot_, squares_, max_;
  Kernel finish_dot_, finish_norm2_, finish_max_;
  // Workspace: the number to which each work-group reduces its entries.  Length kMaxWorkGroups.
  DeviceBuffer<T> partial_;
};

}  // namespace clchol::gpu
