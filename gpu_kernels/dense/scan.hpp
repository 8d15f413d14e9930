// Exclusive prefix sums of vectors, on the device.  Kernels: kernels/dense/scan.cl.
//
//   y[i] := sum_{k < i} x[k]
//
// To turn counts into offsets, scan them with one more entry of any value at the end: the last
// prefix sum is then the total of the counts.
// The order of each sum depends on the vector's length n alone.
// Cost: two passes over the data and 2 l - 1 launches, with l = 1 for n <= 512 and
// l = ceil(log_512 n) for larger n.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Computes prefix sums on the device.  Not thread-safe.  Launches of one object share a workspace,
/// so they must go to one in-order queue at a time: finish a queue before using another one.  T is
/// double, float, Index or Offset.
template <class T>
class Scan {
 public:
  /// Builds the kernels and allocates a workspace of about max_n / 511 entries.  Throws BuildError
  /// when the device's compiler refuses the kernels.
  /// @param max_n  greatest number of entries in a vector that exclusive() takes.
  Scan(ProgramCache& programs, Offset max_n);

  /// Enqueues launches that write the prefix sums of x to y, and returns.  x and y may be the same
  /// memory range.
  /// Throws InvalidArgument when x and y have different sizes, or more than max_n entries.
  void exclusive(Queue& queue, DeviceView<const T> x, DeviceView<T> y);

  static constexpr Offset kWorkGroup = 256;        // Work-items of a work-group.
  static constexpr Offset kTile = 2 * kWorkGroup;  // Entries of a tile, which a work-group scans.

 private:
  // Enqueues the prefix sums of x into y.  Scans the totals of x's tiles by calling itself.
  // @param sums_begin  index of the first entry of sums_ that the call may overwrite.
  void scan_level(Queue& queue, DeviceView<const T> x, DeviceView<T> y, Offset sums_begin);

  Kernel scan_tiles_, add_sums_;
  Offset max_n_;
  // Workspace: the total of each tile of x, then the total of each tile of these totals, and on.
  DeviceBuffer<T> sums_;
};

}  // namespace clchol::gpu
