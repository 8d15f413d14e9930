// Many triangular solves from the right at once, on the device.  Kernel: kernels/dense/trsm.cl.
//
//   X := X * L^-T
//
// L is lower triangular.  The kernel multiplies by the inverses of L's diagonal blocks, which the
// caller must have computed with Trinv (trinv.hpp).
#pragma once

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Device memory of all matrices of a batch of solves.
template <class T>
struct TrsmOperands {
  /// Triangles L, at the offsets LowerTriangle::triangle.
  DeviceView<const T> l;
  /// Inverted diagonal blocks of the triangles, at the offsets LowerTriangle::inverses.
  DeviceView<const T> inverses;
  /// Matrices X, at the offsets RightSolve::x.  Right-hand sides are overwritten by solutions.
  DeviceView<T> x;
};

/// Minimum sizes, in entries, of the views of TrsmOperands.
struct TrsmExtent {
  TriangleExtent triangles;  // Entries of `l` and `inverses`.
  Offset x = 0;              // Entries of `x`.
};

/// Solves with lower triangles from the right on the device.  Not thread-safe.  T is double or
/// float.
template <class T>
class Trsm {
 public:
  /// Builds the kernel.
  /// @param params  params.tile_m is the number of rows of X in a tile, and params.tile_n the order
  ///                of the inverted diagonal blocks.
  /// Throws InvalidArgument for parameters that are not valid(), and BuildError when the device's
  /// compiler refuses the kernel.
  Trsm(ProgramCache& programs, const GemmParams& params);

  /// Enqueues all solves of the batch, and returns.
  /// @param triangles  triangles of a TriangleList with this object's block().
  /// @param solves     solves and tiles of a SolveList with this object's rows().
  /// @param operands   views of at least extent_of() entries.  The caller must check them, once per
  ///                   batch, with check_extent(); run() does not.
  void run(Queue& queue, const TriangleBatch& triangles, const SolveBatch& solves,
           const TrsmOperands<T>& operands);

  Index rows() const { return params_.tile_m; }
  Index block() const { return params_.tile_n; }

 private:
  GemmParams params_;
  Kernel trsm_;
};

/// Returns the minimum sizes, in entries, of the views for these solves.
/// Throws InvalidArgument when the triangle of a solve is not in `triangles`.
inline TrsmExtent extent_of(const TriangleList& triangles, const SolveList& solves) {
  return {triangles.extent(), solves.extent(triangles)};
}

/// Throws InvalidArgument when a view has fewer entries than `extent` requires.  The message names
/// the operand, its entries and the required entries.
template <class T>
void check_extent(const TrsmExtent& extent, const TrsmOperands<T>& operands) {
  require_extent("L", operands.l.size, extent.triangles.l);
  require_extent("inverses", operands.inverses.size, extent.triangles.inverses);
  require_extent("X", operands.x.size, extent.x);
}

}  // namespace clchol::gpu
