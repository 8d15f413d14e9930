// Weighted inner products of row i of a dense matrix A and row i of a dense matrix B, for all i, on
// the device.  Kernels: kernels/dense/row_reduce.cl.
//
//   r[i] := s * sum_k v[k] A(i, k) B(i, k)      s: a number, v: a vector of weights
//
// The order of additions is fixed, so results are the same bits in every run.
// Cost: A and B are read once.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

enum class MatrixOrder { kColumnMajor, kRowMajor };

/// A dense matrix in device memory.  The storage order and the numbers of rows and columns are not
/// stored here: they follow from other arguments of RowReduce::run().
template <class T>
struct DeviceMatrix {
  DeviceView<const T> values;  // Entries of the matrix; begins with entry (0, 0).
  // Leading dimension: distance, in entries, from one column to the next (column-major) or from one
  // row to the next (row-major).
  Offset ld = 0;
};

/// Computes weighted inner products of rows on the device.  Not thread-safe.  T is double or float.
template <class T>
class RowReduce {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit RowReduce(ProgramCache& programs);

  /// Enqueues r[i] := s * sum_k v[k] A(i, k) B(i, k) for all i < r.size, and returns.  The sum is
  /// over all k < v.size.
  /// @param order  storage order of A and of B.
  /// @param a, b   A and B, with r.size rows and v.size columns each.  A and B may be the same
  ///               matrix.
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
