// Finds the first pivot that failed in a factorization, from the statuses of all fronts.
// Kernel: kernels/fronts/first_failure.cl.
#pragma once

#include "gpu_kernels/fronts/fronts.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class FirstFailure {
 public:
  /// Throws BuildError.
  explicit FirstFailure(ProgramCache& programs);

  /// Enqueues: writes to result[0] the failed pivot with the smallest column number.  `column`
  /// becomes the column's number in the factor's order (kNone: no pivot failed), `reserved` the
  /// front, `value` the pivot.
  /// Throws InvalidArgument when the sizes of `status` and `fronts` differ or `result` is empty.
  void run(Queue& queue, DeviceView<const Front> fronts, DeviceView<const PivotStatus<T>> status,
           DeviceView<PivotStatus<T>> result);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
