// Inverts the diagonal blocks of many lower triangular matrices L at once, on the device.
// Kernel: kernels/dense/trinv.cl.
//
// Error of the inverse W of a diagonal block L of order `block`, entry by entry: about
//
//   log2(block) * block * eps * |W| |L| |W|
//
// unless an entry of W is much smaller than the terms of the sum from which it is computed.
#pragma once

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Inverts diagonal blocks of lower triangles on the device.  Not thread-safe.  T is double or
/// float.
template <class T>
class Trinv {
 public:
  /// Builds the kernel.
  /// @param block  order of the diagonal blocks: a power of two from 8 to 128.
  /// Throws InvalidArgument for other values of `block`, and BuildError when the device's compiler
  /// refuses the kernel.
  Trinv(ProgramCache& programs, Index block);

  /// Enqueues the inversion of all diagonal blocks of the batch, and returns.
  /// @param batch        triangles and blocks of a TriangleList with this object's block().
  /// @param l, inverses  views of at least TriangleList::extent() entries.  The caller must check
  ///                     them, once per batch, with check_extent(); run() does not.
  void run(Queue& queue, const TriangleBatch& batch, DeviceView<const T> l, DeviceView<T> inverses);

  Index block() const { return block_; }

 private:
  Index block_;
  Kernel trinv_;
};

/// Throws InvalidArgument when a view has fewer entries than `extent` requires.  The message names
/// the operand, its entries and the required entries.
template <class T>
void check_extent(const TriangleExtent& extent, DeviceView<const T> l,
                  DeviceView<const T> inverses) {
  require_extent("L", l.size, extent.l);
  require_extent("inverses", inverses.size, extent.inverses);
}

}  // namespace clchol::gpu
