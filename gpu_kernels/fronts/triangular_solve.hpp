// Forward and backward solve with one wave of fronts, on any device.
// Kernels: kernels/fronts/forward_solve.cl, kernels/fronts/backward_solve.cl.
//
// Right-hand sides are row-major with leading dimension nrhs, in the factor's order.  The inverses
// of diagonal blocks are operands, so that a solve consists of products alone.
// Cost: each direction reads the panels nrhs / params.rhs times.  A wave takes one launch in each
// direction.  Where fronts are cut, each direction takes one more launch for every diagonal block
// of the largest front, and the backward solve two more for partial sums.  The lists alone decide
// the order of sums.  forward() and backward() only enqueue.
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
  Index nrhs = 1;
  DeviceView<const T> panels;
  // Inverted diagonal blocks of each front, from Front::inverses on; block x block, column-major.
  DeviceView<const T> inverses;
  DeviceView<T> x;  // n x nrhs: right-hand sides in, solutions out.
  // Work vectors of all fronts, nrhs entries a row.  Front::vector and Child::vector are rows.
  DeviceView<T> vectors;
  DeviceView<T> partial;  // Backward: workspace of num_slots * block * nrhs values.
};

/// The lists of one wave's forward solve in device memory.
class ForwardWave {
 public:
  /// Uploads the lists; returns when they are on the device.
  ForwardWave(Queue& queue, const ForwardLists& lists);

 private:
  template <class T>
  friend class TriangularSolve;
  DeviceBuffer<FrontSolveTile> tiles_;
  DeviceBuffer<FrontSolvePiece> pieces_;
  std::vector<Offset> step_ptr_;
};

/// The lists of one wave's backward solve in device memory.
class BackwardWave {
 public:
  /// Uploads the lists; returns when they are on the device.
  BackwardWave(Queue& queue, const BackwardLists& lists);
  /// Number of partial sums.
  Offset num_slots() const { return num_slots_; }

 private:
  template <class T>
  friend class TriangularSolve;
  DeviceBuffer<FrontSolveTile> tiles_;
  Offset whole_end_, partial_end_;
  std::vector<Offset> step_ptr_;
  Offset num_slots_;
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class TriangularSolve {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  TriangularSolve(ProgramCache& programs, const SolveParams& params);

  /// Enqueues the forward solve with a wave, after the waves of its children.  Pivot rows of x
  /// become y of L y = b.  Update rows of `vectors` become what the parents add.
  /// Throws InvalidArgument for nrhs < 1.
  void forward(Queue& queue, const FrontBuffers& lists, const ForwardWave& wave,
               const SolveOperands<T>& operands);
  /// Enqueues the backward solve with a wave, after the waves of its parents.  Pivot rows of x
  /// become the solution of L' x = y.
  /// Throws InvalidArgument for nrhs < 1 or when operands.partial is too small.
  void backward(Queue& queue, const FrontBuffers& lists, const BackwardWave& wave,
                const SolveOperands<T>& operands);

  const SolveParams& params() const { return params_; }

 private:
  Grid grid(Offset tiles, Index nrhs) const;

  SolveParams params_;
  Kernel forward_;
  Kernel whole_, partial_, sum_, step_;
};

}  // namespace clchol::gpu
