// Forward and backward solve with the fronts of one wave, on any device.
// Kernels: kernels/fronts/forward_solve.cl, kernels/fronts/backward_solve.cl.
//
// The inverses of the diagonal blocks of L are operands, so that a solve consists of products
// alone.  Whole fronts are one tile; cut fronts have several tiles (solve_lists.hpp).
//
// Cost: each direction reads each panel ceil(nrhs / params.rhs) times.  A wave takes one launch in
// each direction.  A wave with cut fronts takes one more launch in each direction for each diagonal
// block of the cut front that has the most blocks, and in the backward solve two more launches for
// partial sums.  The lists alone determine the order of sums.  forward() and backward() only
// enqueue.
#pragma once

#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/fronts/solve_lists.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// What a solve reads and writes.
template <class T>
struct SolveOperands {
  Index nrhs = 1;              // Number of right-hand sides.
  DeviceView<const T> panels;  // Buffer that Front::panel is an offset into; holds L.
  // Buffer that Front::inverses is an offset into: the inverted diagonal blocks of each front, one
  // after another.  A block is block x block, column-major, with zeros above its diagonal.
  DeviceView<const T> inverses;
  // Right-hand sides, which solutions overwrite: n x nrhs, row-major.  Rows are numbered as in the
  // permuted matrix.
  DeviceView<T> x;
  // Work vectors of all fronts, row-major with nrhs columns.  Front::vector and Child::vector are
  // row indices.  The backward solve does not need contents from the forward solve.
  DeviceView<T> vectors;
  // Workspace of the backward solve, at least BackwardWave::num_slots() * params.block * nrhs
  // entries.  The forward solve does not use it.
  DeviceView<T> partial;
};

/// The lists of one wave's forward solve, in device memory.
class ForwardWave {
 public:
  /// Uploads the lists, and returns when they are on the device.
  ForwardWave(Queue& queue, const ForwardLists& lists);

 private:
  template <class T>
  friend class TriangularSolve;
  DeviceBuffer<FrontSolveTile> tiles_;
  DeviceBuffer<FrontSolvePiece> pieces_;
  std::vector<Offset> step_ptr_;
};

/// The lists of one wave's backward solve, in device memory.
class BackwardWave {
 public:
  /// Uploads the lists, and returns when they are on the device.
  BackwardWave(Queue& queue, const BackwardLists& lists);
  /// Returns the number of partial sums, of block x nrhs entries each.
  Offset num_slots() const { return num_slots_; }

 private:
  template <class T>
  friend class TriangularSolve;
  DeviceBuffer<FrontSolveTile> tiles_;
  Offset whole_end_, partial_end_;
  std::vector<Offset> step_ptr_;
  Offset num_slots_;
};

/// The kernels of forward and backward solves.  T: double, float.
///
/// Not thread-safe.  All commands of one object go to one in-order queue at a time: finish one
/// queue before using another.
template <class T>
class TriangularSolve {
 public:
  /// Builds the kernels.  Throws InvalidArgument for parameters that are not valid(), and
  /// BuildError.
  TriangularSolve(ProgramCache& programs, const SolveParams& params);

  /// Enqueues the forward solve with the fronts of a wave, L y = b: overwrites b by y in the pivot
  /// rows of operands.x, and writes the fronts' update vectors, which the parents' forward solves
  /// add, to operands.vectors.  The caller must call forward() for all waves in ascending order.
  /// Throws InvalidArgument for operands.nrhs < 1.
  void forward(Queue& queue, const FrontBuffers& lists, const ForwardWave& wave,
               const SolveOperands<T>& operands);
  /// Enqueues the backward solve with the fronts of a wave, L' x = y: overwrites y by x in the
  /// pivot rows of operands.x.  The caller must call backward() for all waves in descending order.
  /// Throws InvalidArgument for operands.nrhs < 1, or when operands.partial is too small.
  void backward(Queue& queue, const FrontBuffers& lists, const BackwardWave& wave,
                const SolveOperands<T>& operands);

  const SolveParams& params() const { return params_; }

 private:
  // Returns the grid of a launch: one work-group for each tile and each block of params_.rhs
  // right-hand sides.
  Grid grid(Offset tiles, Index nrhs) const;

  SolveParams params_;
  Kernel forward_;
  Kernel whole_, partial_, sum_, step_;
};

}  // namespace clchol::gpu
