// Gathers listed rows of X into a dense block, and scatters such a block back to the rows of X.
// Kernels: kernels/dense/move_rows.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The kernels.  x and y are row-major with leading dimension nrhs.  An object is for one thread
/// and one queue at a time.  T is double or float.
template <class T>
class MoveRows {
 public:
  /// Throws BuildError.
  explicit MoveRows(ProgramCache& programs);

  /// Enqueues y(k, r) := x(rows[k], r) for all k and all r < nrhs.
  /// @param rows  row numbers of x, which are not checked.
  /// Throws InvalidArgument for nrhs < 1, and when y has fewer than rows.size * nrhs entries.
  void gather(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> x,
              DeviceView<T> y);
  /// Enqueues x(rows[k], r) := y(k, r) for all k and all r < nrhs.
  /// @param rows  row numbers of x, no two equal, which are not checked.
  /// Throws as gather().
  void scatter(Queue& queue, DeviceView<const Index> rows, Index nrhs, DeviceView<const T> y,
               DeviceView<T> x);

 private:
  Kernel gather_, scatter_;
};

}  // namespace clchol::gpu
