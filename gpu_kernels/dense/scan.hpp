// Prefix sums of device vectors: kernels/dense/scan.cl.
//
//   y[i] := sum_{k < i} x[k]
//
// For a list of counts, scan one entry more than there are counts: the last one is the total.
// Sums are added up in an order that n alone decides.  Cost: two passes over the data, three
// launches for every factor of 512 in n; nothing waits.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Kernels and workspace for one thread and one queue at a time.  T: double, float, Index, Offset.
template <class T>
class Scan {
 public:
  /// Workspace for vectors of up to max_n entries: about max_n / 511.
  Scan(ProgramCache& programs, Offset max_n);

  /// @param x, y  of one size, at most max_n; they may be the same range.
  /// Throws InvalidArgument.
  void exclusive(Queue& queue, DeviceView<const T> x, DeviceView<T> y);

  static constexpr Offset kGroup = 256;  // Work-items of a group, as in the kernel file.
  static constexpr Offset kTile = 2 * kGroup;

 private:
  void scan_level(Queue& queue, DeviceView<const T> x, DeviceView<T> y, Offset sums_begin);

  Kernel scan_tiles_, add_sums_;
  Offset max_n_;
  DeviceBuffer<T> sums_;  // Totals of the tiles of every level, one level after another.
};

}  // namespace clchol::gpu
