// Some rows of X gathered into a block of their own, and put back: kernels/dense/move_rows.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// X and Y are row-major with leading dimension nrhs.  For one thread and one queue at a time.
/// T: double, float.
template <class T>
class MoveRows {
 public:
  /// Throws BuildError.
  explicit MoveRows(ProgramCache& programs);

  /// y(k, r) := x(rows[k], r) for all rows, which are rows of x.  Enqueues.
  /// Throws InvalidArgument for nrhs < 1, or when y is too short.
  void gather(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> x,
              DeviceView<T> y);
  /// x(rows[k], r) := y(k, r) for all rows, which are different rows of x.  Enqueues.
  /// Throws as gather().
  void scatter(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> y,
               DeviceView<T> x);

 private:
  Kernel gather_, scatter_;
};

}  // namespace clchol::gpu
