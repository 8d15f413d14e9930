// Exclusive prefix sums of vectors, on the device.  Kernels: kernels/dense/scan.cl.
//
//   y[i] := sum_{k < i} x[k]
//
// To turn counts into offsets, append an entry to the counts: the last prefix sum is their total.
// The order of each sum depends on n alone.  Cost: two passes over the data and 2 l - 1 launches,
// with l = 1 for n <= 512 and l = ceil(log_512 n) for larger n.  exclusive() only enqueues.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The kernels and their workspace, for one thread and one queue at a time.  T: double, float,
/// Index, Offset.
template <class T>
class Scan {
 public:
  /// Builds the kernels and allocates a workspace of about max_n / 511 entries.
  /// @param max_n  most entries of a vector.
  Scan(ProgramCache& programs, Offset max_n);

  /// Enqueues the prefix sums of x into y.  x and y may be the same memory range.
  /// Throws InvalidArgument when x and y have different sizes, or more than max_n entries.
  void exclusive(Queue& queue, DeviceView<const T> x, DeviceView<T> y);

  static constexpr Offset kWorkGroup = 256;  // Work-items of a work-group, as in the kernel file.
  static constexpr Offset kTile = 2 * kWorkGroup;  // Entries that a work-group scans.

 private:
  // Scans x into y; sums_[sums_begin] is the first entry that this level and later levels may use.
  void scan_level(Queue& queue, DeviceView<const T> x, DeviceView<T> y, Offset sums_begin);

  Kernel scan_tiles_, add_sums_;
  Offset max_n_;
  DeviceBuffer<T> sums_;  // Totals of each tile, level after level.
};

}  // namespace clchol::gpu
