// Many triangular solves from the right at once, on the device.  Kernel: kernels/dense/trsm.cl.
//
//   X := X * L^-T
//
// L is lower triangular.  The kernel computes one block of columns of X after another.  Instead of
// solving with a diagonal block of L, the kernel multiplies by the inverse of the diagonal block,
// which the caller must have computed with Trinv (trinv.hpp).
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
  /// Inverses of the diagonal blocks of each triangle, from the offset LowerTriangle::inverses on.
  DeviceView<const T> inverses;
  /// Matrices X, at the offsets RightSolve::x.  The right-hand sides are overwritten by the
  /// solutions.
  DeviceView<T> x;
};

/// Minimum sizes, in entries, of the views of TrsmOperands.
struct TrsmExtent {
  TriangleExtent triangles;  // Sizes of TrsmOperands::l and TrsmOperands::inverses.
  Offset x = 0;              // Size of TrsmOperands::x.
};

/// Computes X := X * L^-T on the device, for many matrices X and lower triangles L.
/// Not thread-safe.  T is double or float.
template <class T>
class Trsm {
 public:
  /// Builds the kernel.
  /// @param params  parameters of the products that the kernel computes.  params.tile_m is the
  ///                number of rows of X in a tile, and params.tile_n the order of the diagonal
  ///                blocks of L.
  /// Throws InvalidArgument for parameters that are not valid(), and BuildError when the device's
  /// compiler refuses the kernel.
  Trsm(ProgramCache& programs, const GemmParams& params);

  /// Enqueues one launch that computes all solves in `solves`, and returns.
  /// @param triangles  device copy of a list that was made as TriangleList(block()).
  /// @param solves     device copy of a list that was made as SolveList(rows()).
  /// @param operands   device memory of the matrices.  run() does not check the sizes of the views:
  ///                   the caller calls check_extent(extent_of(triangle_list, solve_list),
  ///                   operands) once for each pair of lists.
  void run(Queue& queue, const TriangleBatch& triangles, const SolveBatch& solves,
           const TrsmOperands<T>& operands);

  /// Returns the number of rows of X in a tile.
  Index rows() const { return params_.tile_m; }
  /// Returns the order of the diagonal blocks of L.
  Index block() const { return params_.tile_n; }

 private:
  GemmParams params_;
  Kernel trsm_;
};

/// Returns the minimum sizes, in entries, of the views for these solves.
/// Throws InvalidArgument when RightSolve::triangle of a solve is not an index into the triangles
/// of `triangles`.
inline TrsmExtent extent_of(const TriangleList& triangles, const SolveList& solves) {
  return {triangles.extent(), solves.extent(triangles)};
}

/// Throws InvalidArgument when a view has fewer entries than `extent` requires.  The message has
/// the operand's name, the size of its view and the required size.
/// @param extent  result of extent_of() for the solves.
template <class T>
void check_extent(const TrsmExtent& extent, const TrsmOperands<T>& operands) {
  require_extent("L", operands.l.size, extent.triangles.l);
  require_extent("inverses", operands.inverses.size, extent.triangles.inverses);
  require_extent("X", operands.x.size, extent.x);
}

}  // namespace clchol::gpu
