// Residuals of a symmetric matrix on the device, and the norms that backward errors are made of:
// kernels/dense/residual.cl.
//
// Sums are in a fixed order: the same bits at every run.  Cost: one pass over A.  Nothing waits.
#pragma once

#include <cstdint>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// A symmetric matrix of order n: its lower triangle by columns, and the index by rows of the
/// strict one.
template <class T>
struct DeviceSymmetric {
  Index n = 0;
  DeviceView<const Offset> colptr;         // n + 1
  DeviceView<const Index> rowind;          // nnz
  DeviceView<const T> values;              // nnz
  DeviceView<const Offset> rowptr;         // n + 1
  DeviceView<const Index> column;          // Of each strictly lower entry, by rows.
  DeviceView<const std::uint32_t> source;  // Its place in values.
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class Residual {
 public:
  /// Throws BuildError.
  explicit Residual(ProgramCache& programs);

  /// r := b - A x, magnitude := |A| |x| + |b|.
  /// Throws InvalidArgument when a vector has fewer than n entries; so do the others.
  void residual(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> b,
                DeviceView<const T> x, DeviceView<T> r, DeviceView<T> magnitude);
  /// sums[i] := sum_j |a_ij| s_i s_j; their maximum is the infinity norm.
  /// @param scale  n entries, or empty: ones.
  void row_sums(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> scale,
                DeviceView<T> sums);
  /// result[0..4) := max |r|, max |x|, max |b|, max_i |r_i| / magnitude_i (0/0 counts as 0), over
  /// r.size entries.  NaN where an entry is, infinite where a magnitude is.
  void error_maxima(Queue& queue, DeviceView<const T> r, DeviceView<const T> x,
                    DeviceView<const T> b, DeviceView<const T> magnitude, DeviceView<T> result);

  static constexpr Offset kGroup = 128;      // Work-items of a group.
  static constexpr Offset kLanes = 4;        // Work-items of a row.
  static constexpr Offset kMaxGroups = 256;  // Of error_maxima.

 private:
  Kernel residual_, row_sums_, maxima_, finish_;
  DeviceBuffer<T> partial_;  // 4 * kMaxGroups
};

}  // namespace clchol::gpu
