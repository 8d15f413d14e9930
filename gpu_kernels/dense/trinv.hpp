// Inverses of the diagonal blocks of lower triangles on the device: kernels/dense/trinv.cl.
//
// Error of an inverse W: about log2(block) block * eps |W| |L| |W|, where no entry of W is much
// smaller than the terms that its products sum up.
#pragma once

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Kernel for one thread and one queue at a time.  T: double, float.
template <class T>
class Trinv {
 public:
  /// @param block  order of diagonal blocks: a power of two from 8 to 128.
  /// Throws InvalidArgument, BuildError.
  Trinv(ProgramCache& programs, Index block);

  /// Enqueues: writes the inverses of all blocks of the batch, made with this block().
  /// @param l, inverses  have at least TriangleList::extent() entries, which the caller has checked
  ///                     once.
  void run(Queue& queue, const TriangleBatch& batch, DeviceView<const T> l, DeviceView<T> inverses);

  Index block() const { return block_; }

 private:
  Index block_;
  Kernel trinv_;
};

/// Throws InvalidArgument, naming operand, entries and bound, unless the views hold the triangles.
template <class T>
void check_extent(const TriangleExtent& extent, DeviceView<const T> l,
                  DeviceView<const T> inverses) {
  require_extent("L", l.size, extent.l);
  require_extent("inverses", inverses.size, extent.inverses);
}

}  // namespace clchol::gpu
