// Finds the first failed pivot of a factorization: the failed pivot with the smallest column number
// in the permuted matrix, among the failed pivots of all fronts.
// Kernel: kernels/fronts/first_failure.cl.
#pragma once

#include "gpu_kernels/fronts/fronts.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The kernel that finds the first failed pivot.  T: double, float.
///
/// Not thread-safe.  All commands of one object go to one in-order queue at a time: finish one
/// queue before using another.
template <class T>
class FirstFailure {
 public:
  /// Builds the kernel.  Throws BuildError when the device's compiler refuses the kernel.
  explicit FirstFailure(ProgramCache& programs);

  /// Enqueues a launch that finds the first failed pivot and writes it to result[0].
  /// - result[0].column: the pivot's column in the permuted matrix; kNone if no pivot has failed.
  /// - result[0].reserved: index in `fronts` of the pivot's front; kNone if no pivot has failed.
  /// - result[0].value: the pivot before its square root is taken; 0 if no pivot has failed.
  /// @param fronts  fronts, whose member first_column is read: the column number in the permuted
  ///                matrix of a front's first pivot column.
  /// @param status  first failed pivot of each front, with `column` numbered within the front, or
  ///                kNone in a front without failed pivots.  Indexed by front.
  /// Throws InvalidArgument when `status` and `fronts` have different sizes or `result` is empty.
  void run(Queue& queue, DeviceView<const Front> fronts, DeviceView<const PivotStatus<T>> status,
           DeviceView<PivotStatus<T>> result);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
