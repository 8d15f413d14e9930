// Exclusive prefix sums of vectors, on the device.  Kernels: kernels/dense/scan.cl.
//
//   y[i] := sum_{k < i} x[k]
//
// To turn n counts into n + 1 offsets, append one entry of any value to the counts and scan the
// n + 1 entries.  The last prefix sum y[n] is then the sum of the n counts.
// The order of additions depends on the vector's length n alone, so results are the same bits in
// every run.
// Cost: 2 l - 1 launches, where l = 1 for n <= 512 and l = ceil(log_512 n) for larger n.  x is read
// once and y written once; for n > 512, y is then read and written once more.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Computes prefix sums on the device.  Not thread-safe.  Launches of one object share a workspace,
/// so they must go to one in-order queue at a time: finish one queue before using another.  T is
/// double, float, Index or Offset.
template <class T>
class Scan {
 public:
  /// Builds the kernels and allocates a workspace of about max_n / 511 entries.  Throws BuildError
  /// when the device's compiler refuses the kernels.
  /// @param max_n  greatest number of entries of a vector that exclusive() accepts.
  Scan(ProgramCache& programs, Offset max_n);

  /// Enqueues launches that write the exclusive prefix sums of x to y, and returns.  x and y may be
  /// the same memory range.
  /// Throws InvalidArgument when x and y have different sizes, or more than max_n entries.
  void exclusive(Queue& queue, DeviceView<const T> x, DeviceView<T> y);

  static constexpr Offset kWorkGroup = 256;        // Work-items of a work-group.
  static constexpr Offset kTile = 2 * kWorkGroup;  // Entries that one work-group scans (a tile).

 private:
  // Enqueues launches that write the prefix sums of x to y.  If x has several tiles, the function
  // calls itself to scan the sums of the tiles' entries.
  // @param sums_begin  index of the first entry of sums_ that the call may overwrite.
  void scan_level(Queue& queue, DeviceView<const T> x, DeviceView<T> y, Offset sums_begin);

  Kernel scan_tiles_, add_sums_;
  Offset max_n_;
  // Workspace: first the sum of each tile of x, then the sum of each tile of those sums, and so on
  // until there is only one tile.
  DeviceBuffer<T> sums_;
};

}  // namespace clchol::gpu
