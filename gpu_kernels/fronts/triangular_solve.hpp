// Forward and backward solve over one wave of fronts: kernels/fronts/forward_solve.cl,
// kernels/fronts/backward_solve.cl.
//
// Right-hand sides are row-major with leading dimension nrhs, in the factor's order.  Diagonal
// blocks come inverted, so that a solve is products alone.  Cost: panels are read nrhs / params.rhs
// times; two launches a wave, and one more for every diagonal block of its largest front where
// fronts are cut.  Sums are in an order that the lists alone decide.  Nothing waits.
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
  DeviceView<const T> inverses;  // Each front's blocks, block x block, column-major.
  DeviceView<T> x;               // n x nrhs: right-hand sides in, solutions out.
  DeviceView<T> vectors;         // Rows x nrhs: places in Front.vector and Child.vector.
  DeviceView<T> partial;         // Backward: num_slots * block * nrhs values.
};

/// Lists of one wave on the device.
class ForwardWave {
 public:
  /// Uploads; blocking.
  ForwardWave(Queue& queue, const ForwardLists& lists);

 private:
  template <class T>
  friend class TriangularSolve;
  DeviceBuffer<FrontSolveTile> tiles_;
  DeviceBuffer<FrontSolvePiece> pieces_;
  std::vector<Offset> step_ptr_;
};

class BackwardWave {
 public:
  /// Uploads; blocking.
  BackwardWave(Queue& queue, const BackwardLists& lists);
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

  /// The wave's children were in waves before.  Its own rows of x become y1; its update rows of
  /// `vectors` are what its parents take.  Throws InvalidArgument for nrhs < 1.
  void forward(Queue& queue, const FrontBuffers& lists, const ForwardWave& wave,
               const SolveOperands<T>& operands);
  /// The wave's parents were in waves before.  Its own rows of x become the solution.
  /// Throws InvalidArgument for nrhs < 1 or partial sums without room.
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
