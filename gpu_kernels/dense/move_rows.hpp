// Copies some rows of a matrix X to the rows of a smaller matrix Y, and back, on the device.  The
// list `rows` names the rows: row k of Y corresponds to row rows[k] of X.
// Kernels: kernels/dense/move_rows.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Copies rows between X and Y on the device.  The views x and y hold X and Y, each row-major with
/// nrhs columns (right-hand sides) and leading dimension nrhs.  All functions enqueue at most one
/// launch and return.  Not thread-safe.  T is double or float.
template <class T>
class MoveRows {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit MoveRows(ProgramCache& programs);

  /// Enqueues Y(k, r) := X(rows[k], r) for all k < rows.size and all r < nrhs.
  /// @param rows  row numbers of X.  The caller guarantees that X has all of these rows.
  /// Throws InvalidArgument for nrhs < 1, and when y has fewer than rows.size * nrhs entries.
  void gather(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> x,
              DeviceView<T> y);
  /// Enqueues X(rows[k], r) := Y(k, r) for all k < rows.size and all r < nrhs.
  /// @param rows  row numbers of X.  The caller guarantees that X has all of these rows, and that
  ///              no two row numbers are equal.
  /// Throws InvalidArgument for nrhs < 1, and when y has fewer than rows.size * nrhs entries.
  void scatter(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> y,
               DeviceView<T> x);

 private:
  Kernel gather_, scatter_;
};

}  // namespace clchol::gpu
