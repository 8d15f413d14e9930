// Weighted inner products of the rows of two dense matrices, on the device.
// Kernels: kernels/dense/row_reduce.cl.
//
//   r[i] := s * sum_k v[k] A(i, k) B(i, k)
//
// Sums have a fixed order, so results are bitwise reproducible.  Cost: one pass over A and B.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

enum class MatrixOrder { kColumnMajor, kRowMajor };

/// A dense matrix in device memory.  Its numbers of rows and columns are the operation's.
template <class T>
struct DeviceMatrix {
  DeviceView<const T> values;
  Offset ld = 0;  // Leading dimension: entries between columns (column-major) or rows (row-major).
};

/// The kernels, for one thread and one queue at a time.  T: double, float.
template <class T>
class RowReduce {
 public:
  /// Throws BuildError.
  explicit RowReduce(ProgramCache& programs);

  /// Enqueues r[i] := s * sum_k v[k] A(i, k) B(i, k) for all i < r.size, with k < v.size.
  /// @param order  storage order of A and B.
  /// @param a, b   matrices of r.size rows and v.size columns; they may be the same matrix.
  /// Throws InvalidArgument when a matrix has too few entries or too small a leading dimension.
  void run(Queue& queue, MatrixOrder order, T s, DeviceView<const T> v, const DeviceMatrix<T>& a,
           const DeviceMatrix<T>& b, DeviceView<T> r);

  static constexpr Offset kWorkGroup = 256;     // Work-items of a work-group.
  static constexpr Offset kLanesByColumns = 8;  // Work-items that share a row, column-major.
  static constexpr Offset kLanesByRows = 32;    // Work-items that share a row, row-major.

 private:
  Kernel by_columns_, by_rows_;
};

}  // namespace clchol::gpu
