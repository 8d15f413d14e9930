// Weighted row reduction over two dense matrices: kernels/dense/row_reduce.cl.
//
//   r[i] := s * sum_k v[k] A(i, k) B(i, k)
//
// Sums are in a fixed order: the same bits at every run.  Cost: one pass over A and B.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

enum class MatrixOrder { kColumnMajor, kRowMajor };

/// A dense matrix on the device; its size goes with the operation.
template <class T>
struct DeviceMatrix {
  DeviceView<const T> values;
  Offset ld = 0;  // Between columns (column-major) or rows (row-major).
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class RowReduce {
 public:
  /// Throws BuildError.
  explicit RowReduce(ProgramCache& programs);

  /// For all i < r.size; A and B have v.size columns and one order; they may be the same.
  /// Throws InvalidArgument when a matrix is too small for that.
  void run(Queue& queue, MatrixOrder order, T s, DeviceView<const T> v, const DeviceMatrix<T>& a,
           const DeviceMatrix<T>& b, DeviceView<T> r);

  static constexpr Offset kGroup = 256;         // Work-items of a group.
  static constexpr Offset kLanesByColumns = 8;  // Work-items of a row.
  static constexpr Offset kLanesByRows = 32;

 private:
  Kernel by_columns_, by_rows_;
};

}  // namespace clchol::gpu
