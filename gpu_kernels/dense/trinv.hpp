// Inverts the diagonal blocks L(J, J) of many lower triangular matrices L at once, on the device.
// J is a range of `block` rows and columns; the last range may be shorter.  Only the blocks are
// inverted, not L as a whole.  Kernel: kernels/dense/trinv.cl.
//
// Each entry of the computed inverse W of a block L(J, J) has an error of about
//
//   log2(block) * block * eps * |W| |L(J, J)| |W|
//
// where |.| is the absolute value of every entry and eps is numeric_limits<T>::epsilon().  The
// estimate does not hold for an entry of W that is much smaller than the terms of the sum from
// which the entry is computed.
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

  /// Enqueues one launch that inverts all diagonal blocks in the batch, and returns.
  /// run() does not check the sizes of the views: the caller calls
  /// check_extent(list.extent(), l, inverses) once per batch.
  /// @param batch     device copy of a list that was made as TriangleList(block()).
  /// @param l         triangles L, at the offsets LowerTriangle::triangle.
  /// @param inverses  gets the inverses of each triangle's diagonal blocks, from the offset
  ///                  LowerTriangle::inverses on, each as a column-major square of order block().
  void run(Queue& queue, const TriangleBatch& batch, DeviceView<const T> l, DeviceView<T> inverses);

  /// Returns the order of the diagonal blocks.
  Index block() const { return block_; }

 private:
  Index block_;
  Kernel trinv_;
};

/// Throws InvalidArgument when a view has fewer entries than `extent` requires.  The message has
/// the operand's name, the size of its view and the required size.
/// @param extent  result of TriangleList::extent().
template <class T>
void check_extent(const TriangleExtent& extent, DeviceView<const T> l,
                  DeviceView<const T> inverses) {
  require_extent("L", l.size, extent.l);
  require_extent("inverses", inverses.size, extent.inverses);
}

}  // namespace clchol::gpu
