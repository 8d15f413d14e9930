// The first pivot that failed in a factorization: kernels/fronts/first_failure.cl.
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

  /// result[0] := the failure with the smallest column: its number in the factor's order, the front
  /// in `reserved`, the pivot; column kNone without one.
  /// Throws InvalidArgument unless there is one status for each front, and room for a result.
  void run(Queue& queue, DeviceView<const Front> fronts, DeviceView<const PivotStatus<T>> status,
           DeviceView<PivotStatus<T>> result);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
