// Copies listed rows of a matrix X into a matrix Y that has no other rows, and rows of Y back to
// the listed rows of X, on the device.  Kernels: kernels/dense/move_rows.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Copies rows between X and Y on the device.  X and Y lie in the views x and y, row-major with
/// leading dimension nrhs, which is also their number of columns (right-hand sides).  Not
/// thread-safe.  T is double or float.
template <class T>
class MoveRows {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit MoveRows(ProgramCache& programs);

  /// Enqueues Y(k, r) := X(rows[k], r) for all k < rows.size and all r < nrhs.
  /// @param rows  row numbers of X; the caller guarantees that X has these rows.
  /// Throws InvalidArgument for nrhs < 1, and when y has fewer than rows.size * nrhs entries.
  void gather(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> x,
              DeviceView<T> y);
  /// Enqueues X(rows[k], r) := Y(k, r) for all k < rows.size and all r < nrhs.
  /// @param rows  row numbers of X, no two equal; the caller guarantees that X has these rows.
  /// Throws InvalidArgument for nrhs < 1, and when y has fewer than rows.size * nrhs entries.
  void scatter(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> y,
               DeviceView<T> x);

 private:
  Kernel gather_, scatter_;
};

}  // namespace clchol::gpu
