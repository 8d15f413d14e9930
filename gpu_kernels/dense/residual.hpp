// Residuals r = b - A x of a sparse symmetric system, and the maxima and row sums from which
// backward errors are computed, on the device.  Kernels: kernels/dense/residual.cl.
//
// The order of additions is fixed, so results are the same bits in every run.  All functions
// enqueue launches and return.  Cost of residual() and row_sums(): one product of A and a vector.
#pragma once

#include <cstdint>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// A sparse symmetric matrix of order n in device memory.  The lower triangle, with the diagonal,
/// is stored by columns (`colptr`, `rowind`, `values`); it has nnz entries.  The entries below the
/// diagonal are also listed by rows (`rowptr`, `column`, `source`).
template <class T>
struct DeviceSymmetric {
  Index n = 0;
  DeviceView<const Offset> colptr;  // Start of each column in `rowind` and `values`.  Length n + 1.
  DeviceView<const Index> rowind;   // Row of each entry, column by column.  Length nnz.
  DeviceView<const T> values;       // Value of each entry, column by column.  Length nnz.
  DeviceView<const Offset> rowptr;  // Start of each row in `column` and `source`.  Length n + 1.
  // Column of each entry below the diagonal, row by row.  Length: number of entries below the
  // diagonal.
  DeviceView<const Index> column;
  // Index into `values` of each entry below the diagonal, row by row.  Length: number of entries
  // below the diagonal.
  DeviceView<const std::uint32_t> source;
};

/// Computes residuals, row sums and maxima on the device.  Not thread-safe.  All calls of
/// error_maxima() on one object share a workspace.  Therefore these calls must go to one in-order
/// queue at a time: finish one queue before using another.  T is double or float.
template <class T>
class Residual {
 public:
  /// Builds the kernels and allocates this object's workspace.  Throws BuildError when the device's
  /// compiler refuses the kernels.
  explicit Residual(ProgramCache& programs);

  /// Enqueues r := b - A x and magnitude := |A| |x| + |b|, where |.| is the absolute value of every
  /// entry.
  /// Throws InvalidArgument when b, x, r or magnitude has fewer than n entries.
  void residual(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> b,
                DeviceView<const T> x, DeviceView<T> r, DeviceView<T> magnitude);
  /// Enqueues sums[i] := sum_j |A(i, j)| s[i] s[j] for all i < n.  The maximum of all sums[i] is
  /// the infinity norm of S A S, where S is the diagonal matrix of the positive numbers s[i].
  /// @param scale  the numbers s[i].  Length n, or empty: s[i] = 1 for all i.
  /// Throws InvalidArgument when `sums`, or a `scale` that is not empty, has fewer than n entries.
  void row_sums(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> scale,
                DeviceView<T> sums);
  /// Enqueues the computation of four maxima over all i < r.size:
  ///   result[0] := max |r[i]|,   result[1] := max |x[i]|,   result[2] := max |b[i]|,
  ///   result[3] := max (|r[i]| / magnitude[i]).
  /// Where magnitude[i] is infinite, the quotient in result[3] counts as infinite, not as 0, so
  /// that an overflow is not taken for a small error.  Otherwise, where r[i] is 0, the quotient
  /// counts as 0, even if magnitude[i] is 0.  A maximum is NaN when one of its terms is NaN.
  /// Throws InvalidArgument when x, b or magnitude has fewer than r.size entries, and when `result`
  /// has fewer than 4 entries.
  void error_maxima(Queue& queue, DeviceView<const T> r, DeviceView<const T> x,
                    DeviceView<const T> b, DeviceView<const T> magnitude, DeviceView<T> result);

  static constexpr Offset kWorkGroup = 128;      // Work-items of a work-group.
  static constexpr Offset kLanes = 4;            // Work-items that share the sum of one row of A.
  static constexpr Offset kMaxWorkGroups = 256;  // Maximum number of error_maxima()'s work-groups.

 private:
  Kernel residual_, row_sums_, maxima_, finish_;
  // Workspace: the four maxima of each work-group of error_maxima().  Length 4 * kMaxWorkGroups.
  DeviceBuffer<T> partial_;
};

}  // namespace clchol::gpu
