// Triangular solves from the right on the device, many at once.  Kernel: kernels/dense/trsm.cl.
//
//   X := X * L^-T
//
// The kernel multiplies by the inverses of L's diagonal blocks, which Trinv computes (trinv.hpp).
#pragma once

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Device memory of the matrices of a batch.  Positions in LowerTriangle and RightSolve count
/// entries from the begin of each view.
template <class T>
struct TrsmOperands {
  DeviceView<const T> l;         // Triangles.
  DeviceView<const T> inverses;  // Inverses of the triangles' diagonal blocks.
  DeviceView<T> x;               // Right-hand sides, overwritten by the solutions.
};

/// Entries that the views of TrsmOperands must have.
struct TrsmExtent {
  TriangleExtent triangles;
  Offset x = 0;
};

/// The kernel, for one thread and one queue at a time.  T: double, float.
template <class T>
class Trsm {
 public:
  /// Builds the kernel.
  /// @param params  tile_n: order of the inverted diagonal blocks; tile_m: rows of a tile.
  /// Throws InvalidArgument for invalid parameters, and BuildError.
  Trsm(ProgramCache& programs, const GemmParams& params);

  /// Enqueues the solves.
  /// @param triangles  must have been made with block().
  /// @param solves     must have been made with rows().
  /// @param operands   must have extent_of() entries, which the caller has checked once.
  void run(Queue& queue, const TriangleBatch& triangles, const SolveBatch& solves,
           const TrsmOperands<T>& operands);

  Index rows() const { return params_.tile_m; }
  Index block() const { return params_.tile_n; }

 private:
  GemmParams params_;
  Kernel trsm_;
};

/// Returns the entries that the operands of these solves must have.
/// Throws InvalidArgument for a solve whose triangle is not in the list.
inline TrsmExtent extent_of(const TriangleList& triangles, const SolveList& solves) {
  return {triangles.extent(), solves.extent(triangles)};
}

/// Throws InvalidArgument, which names operand, entries and bound, unless the views hold the
/// matrices.
template <class T>
void check_extent(const TrsmExtent& extent, const TrsmOperands<T>& operands) {
  require_extent("L", operands.l.size, extent.triangles.l);
  require_extent("inverses", operands.inverses.size, extent.triangles.inverses);
  require_extent("X", operands.x.size, extent.x);
}

}  // namespace clchol::gpu
