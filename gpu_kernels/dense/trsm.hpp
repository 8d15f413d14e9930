// Triangular solves from the right on the device: kernels/dense/trsm.cl.
//
//   X := X * L^-T, many panels at once, by the inverses that Trinv makes of L's diagonal blocks
#pragma once

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Where the matrices of a batch lie.  Positions count from the views' begin.
template <class T>
struct TrsmOperands {
  DeviceView<const T> l;
  DeviceView<const T> inverses;
  DeviceView<T> x;
};

/// Entries that these views must have.
struct TrsmExtent {
  TriangleExtent triangles;
  Offset x = 0;
};

/// Kernel for one thread and one queue at a time.  T: double, float.
template <class T>
class Trsm {
 public:
  /// @param params  tile_n is the order of the inverted diagonal blocks, tile_m the rows of a
  ///                group (SolveList).
  /// Throws InvalidArgument for invalid parameters, BuildError.
  Trsm(ProgramCache& programs, const GemmParams& params);

  /// Enqueues.  `triangles` and `solves` were made with block() and rows().  The operands have at
  /// least extent_of() entries, which the caller has checked once.
  void run(Queue& queue, const TriangleBatch& triangles, const SolveBatch& solves,
           const TrsmOperands<T>& operands);

  Index rows() const { return params_.tile_m; }
  Index block() const { return params_.tile_n; }

 private:
  GemmParams params_;
  Kernel trsm_;
};

/// Throws InvalidArgument for a solve whose triangle is not in the list.
inline TrsmExtent extent_of(const TriangleList& triangles, const SolveList& solves) {
  return {triangles.extent(), solves.extent(triangles)};
}

/// Throws InvalidArgument, naming operand, entries and bound, unless the views hold the matrices.
template <class T>
void check_extent(const TrsmExtent& extent, const TrsmOperands<T>& operands) {
  require_extent("L", operands.l.size, extent.triangles.l);
  require_extent("inverses", operands.inverses.size, extent.triangles.inverses);
  require_extent("X", operands.x.size, extent.x);
}

}  // namespace clchol::gpu
