// Triangular solves from the right on the device: kernels/trsm.cl.
//
//   X := X * L^-T, many panels at once, by the inverses that Trinv makes of L's diagonal blocks
#pragma once

#include "gpu_kernels/launch.hpp"
#include "gpu_kernels/program_cache.hpp"
#include "gpu_kernels/triangle_list.hpp"
#include "gpu_kernels/tuning.hpp"

namespace clchol::gpu {

/// Where the matrices of a batch lie.
template <class T>
struct TrsmOperands {
  DeviceView<const T> l;
  DeviceView<const T> inverses;
  DeviceView<T> x;
};

/// Kernel for one thread and one queue at a time.  T: double, float.
template <class T>
class Trsm {
 public:
  /// @param params  tile_n is the order of the inverted diagonal blocks, tile_m the rows of a
  ///                group (SolveList).
  /// Throws InvalidArgument for invalid parameters, BuildError.
  Trsm(ProgramCache& programs, const GemmParams& params);

  /// Enqueues.  `triangles` and `solves` were made with block() and rows().
  void run(Queue& queue, const TriangleBatch& triangles, const SolveBatch& solves,
           const TrsmOperands<T>& operands);

  Index rows() const { return params_.tile_m; }
  Index block() const { return params_.tile_n; }

 private:
  GemmParams params_;
  Kernel trsm_;
};

}  // namespace clchol::gpu
