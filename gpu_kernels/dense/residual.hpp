// Residuals of a sparse symmetric system, and the norms from which backward errors are computed, on
// the device.  Kernels: kernels/dense/residual.cl.
//
// Sums have a fixed order, so results are bitwise reproducible.  Cost: one pass over A.  All
// functions only enqueue.
#pragma once

#include <cstdint>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// A sparse symmetric matrix of order n in device memory: its lower triangle by columns, and an
/// index of the strict lower triangle by rows.
template <class T>
struct DeviceSymmetric {
  Index n = 0;
  DeviceView<const Offset> colptr;  // Start of each column in rowind and values.  Length n + 1.
  DeviceView<const Index> rowind;   // Row of each entry.  Length nnz.
  DeviceView<const T> values;       // Value of each entry.  Length nnz.
  DeviceView<const Offset> rowptr;  // Start of each row in column and source.  Length n + 1.
  DeviceView<const Index> column;   // Column of each strictly lower entry, row by row.
  DeviceView<const std::uint32_t> source;  // Position in values of each entry of `column`.
};

/// The kernels, for one thread and one queue at a time.  T: double, float.
template <class T>
class Residual {
 public:
  /// Throws BuildError.
  explicit Residual(ProgramCache& programs);

  /// Enqueues r := b - A x and magnitude := |A| |x| + |b|.
  /// Throws InvalidArgument when a vector has fewer than n entries.
  void residual(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> b,
                DeviceView<const T> x, DeviceView<T> r, DeviceView<T> magnitude);
  /// Enqueues sums[i] := sum_j |a_ij| s_i s_j.  The maximum of the sums is the infinity norm of the
  /// scaled matrix.
  /// @param scale  s.  Length n; empty: s_i = 1.
  /// Throws InvalidArgument when a vector has fewer than n entries.
  void row_sums(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> scale,
                DeviceView<T> sums);
  /// Enqueues result[0..4) := max |r|, max |x|, max |b|, max_i |r_i| / magnitude_i over i < r.size,
  /// where 0/0 counts as 0.  A maximum is NaN when one of its entries is NaN.  The last one is
  /// infinite when a magnitude is infinite.
  /// Throws InvalidArgument when a vector has fewer than r.size entries, or `result` fewer than 4.
  void error_maxima(Queue& queue, DeviceView<const T> r, DeviceView<const T> x,
                    DeviceView<const T> b, DeviceView<const T> magnitude, DeviceView<T> result);

  static constexpr Offset kWorkGroup = 128;      // Work-items of a work-group.
  static constexpr Offset kLanes = 4;            // Work-items that share a row.
  static constexpr Offset kMaxWorkGroups = 256;  // Most work-groups of error_maxima.

 private:
  Kernel residual_, row_sums_, maxima_, finish_;
  DeviceBuffer<T> partial_;  // Maxima of each work-group.  Length 4 * kMaxWorkGroups.
};

}  // namespace clchol::gpu
