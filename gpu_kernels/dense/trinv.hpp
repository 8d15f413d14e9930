// Inverts the diagonal blocks of lower triangles on the device, many at once.
// Kernel: kernels/dense/trinv.cl.
//
// Error of an inverse W: about log2(block) block * eps |W| |L| |W|, when no entry of W is much
// smaller than the terms of the sums that it is computed from.
#pragma once

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The kernel, for one thread and one queue at a time.  T: double, float.
template <class T>
class Trinv {
 public:
  /// Builds the kernel.
  /// @param block  order of the diagonal blocks: a power of two from 8 to 128.
  /// Throws InvalidArgument for another block, and BuildError.
  Trinv(ProgramCache& programs, Index block);

  /// Enqueues the inversion of all blocks of the batch.
  /// @param batch        must have been made with this object's block().
  /// @param l, inverses  must have TriangleList::extent() entries, as the caller has checked.
  void run(Queue& queue, const TriangleBatch& batch, DeviceView<const T> l, DeviceView<T> inverses);

  Index block() const { return block_; }

 private:
  Index block_;
  Kernel trinv_;
};

/// Throws InvalidArgument, which names operand, entries and bound, unless the views hold the
/// triangles and their inverses.
template <class T>
void check_extent(const TriangleExtent& extent, DeviceView<const T> l,
                  DeviceView<const T> inverses) {
  require_extent("L", l.size, extent.l);
  require_extent("inverses", inverses.size, extent.inverses);
}

}  // namespace clchol::gpu
