// Reductions of vectors to one number, on the device.  Kernels: kernels/dense/reduce.cl.
//
// The order of each sum depends on n alone, so results are bitwise reproducible on one device.
// Error: at most (k + 10) eps sum|terms|, where a work-item sums k = ceil(n / (256 * groups)) terms
// and `groups`, the number of work-groups, is at most 256.
// norm2 can overflow.  max_norm is NaN when an entry is NaN.  Empty vectors give 0.
// Cost: two launches, one pass over the operands.  All functions only enqueue; the result is ready
// in the queue's order.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// How a work-group computes the last levels of its reduction tree.  All forms give the same bits.
enum class WarpForm {
  kGeneric,      // By barriers and local memory, on any device.
  kWarpShuffle,  // By shfl.sync of NVIDIA's PTX.
  kWarp64,       // By warps of 64 work-items in lockstep: AMD GCN and CDNA.
};

/// The kernels and their workspace, for one thread and one queue at a time.  T: double, float.
template <class T>
class Reduce {
 public:
  /// Builds the kernels.  Throws BuildError when the device does not support the form or T.  A
  /// caller that tries several forms should try kGeneric last.
  explicit Reduce(ProgramCache& programs, WarpForm form = WarpForm::kGeneric);

  /// Enqueues result[0] := sum_i x[i] * y[i].  Throws InvalidArgument for different sizes of x and
  /// y, and, as norm2() and max_norm(), for an empty result.
  void dot(Queue& queue, DeviceView<const T> x, DeviceView<const T> y, DeviceView<T> result);
  /// Enqueues result[0] := sqrt(sum_i x[i]^2).
  void norm2(Queue& queue, DeviceView<const T> x, DeviceView<T> result);
  /// Enqueues result[0] := max_i |x[i]|.
  void max_norm(Queue& queue, DeviceView<const T> x, DeviceView<T> result);

  static constexpr Offset kWorkGroup = 256;  // Work-items of a work-group, as in the kernel file.
  static constexpr Offset kMaxWorkGroups = 256;  // Most work-groups of a launch.

 private:
  struct Split {
    Offset groups;  // Number of work-groups.
    Offset chunk;   // Entries that a work-group reduces.
  };
  static Split split(Offset n);

  Kernel dot_, squares_, max_;
  Kernel finish_dot_, finish_norm2_, finish_max_;
  DeviceBuffer<T> partial_;  // Partial result of each work-group.  Length kMaxWorkGroups.
};

}  // namespace clchol::gpu
