// Weighted inner products of row i of a dense matrix A and row i of a dense matrix B, for all i, on
// the device.  Kernels: kernels/dense/row_reduce.cl.
//
//   r[i] := s * sum_k v[k] A(i, k) B(i, k)
//
// The order of each sum is fixed, so results are bitwise reproducible.
// Cost: one pass over A and B.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

enum class MatrixOrder { kColumnMajor, kRowMajor };

/// A dense matrix in device memory.  The function that takes it says how many rows and columns it
/// has.
template <class T>
struct DeviceMatrix {
  DeviceView<const T> values;  // Entries, from entry (0, 0) on.
  Offset ld = 0;  // Leading dimension: entries between columns (column-major) or rows (row-major).
};

/// Computes weighted inner products of rows on the device.  Not thread-safe.  T is double or float.
template <class T>
class RowReduce {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit RowReduce(ProgramCache& programs);

  /// Enqueues r[i] := s * sum_k v[k] A(i, k) B(i, k) for all i < r.size, with k < v.size, and
  /// returns.
  /// @param order  storage order of A and of B.
  /// @param a, b   A and B, with r.size rows and v.size columns each.  They may be the same matrix.
  /// Throws InvalidArgument when A or B has too few entries or too small a leading dimension.
  void run(Queue& queue, MatrixOrder order, T s, DeviceView<const T> v, const DeviceMatrix<T>& a,
           const DeviceMatrix<T>& b, DeviceView<T> r);

  /// Work-items of a work-group.
  static constexpr Offset kWorkGroup = 256;
  /// Work-items that share the sum of one r[i], if A and B are column-major.
  static constexpr Offset kLanesByColumns = 8;
  /// Work-items that share the sum of one r[i], if A and B are row-major.
  static constexpr Offset kLanesByRows = 32;

 private:
  Kernel by_columns_, by_rows_;
};

}  // namespace clchol::gpu
