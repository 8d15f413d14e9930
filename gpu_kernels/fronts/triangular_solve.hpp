// Forward and backward solves with a Cholesky factor L, on any device.  Each call solves with the
// fronts of one wave.  Kernels: kernels/fronts/forward_solve.cl, kernels/fronts/backward_solve.cl.
//
// Method: the caller passes the inverses of the diagonal blocks of L, so that a solve consists only
// of matrix products.  A tile is the part of a front that one work-group computes.  A small front
// is one tile and is called a whole front.  A larger front is cut into several tiles and is called
// a cut front (solve_lists.hpp).
//
// Cost for nrhs right-hand sides: each direction reads each panel ceil(nrhs / SolveParams::rhs)
// times.  A wave without cut fronts takes one launch in each direction.  A wave whose cut fronts
// have at most b diagonal blocks takes up to b more launches in each direction, and up to two more
// launches for the partial sums of the backward solve.  forward() and backward() enqueue the
// launches and return.
//
// The order in which each sum adds its terms depends only on the lists of the wave, so results are
// the same bits in every run.
#pragma once

#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/fronts/solve_lists.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Matrices of a solve, in device memory.
template <class T>
struct SolveOperands {
  Index nrhs = 1;  // Number of right-hand sides.
  // Panels of all fronts, which hold L.  The panel of a front begins at the offset Front::panel.
  DeviceView<const T> panels;
  // Inverses of the diagonal blocks of all fronts.  The inverses of a front begin at the offset
  // Front::inverses and lie one after another.  Each inverse has SolveParams::block rows and
  // columns, column-major, with zeros above the diagonal.
  DeviceView<const T> inverses;
  // Right-hand sides, which the solutions overwrite: n x nrhs, row-major.  Rows are numbered as in
  // the permuted matrix.
  DeviceView<T> x;
  // Workspace: a row-major matrix of nrhs columns, in which each front has nrow rows, from row
  // Front::vector on.  The forward solve passes update vectors from children to parents in this
  // workspace.  The backward solve does not need any contents that the forward solve has left.
  DeviceView<T> vectors;
  // Workspace for the partial sums of the backward solve.  Length: at least
  // BackwardWave::num_slots() * SolveParams::block * nrhs entries.  Not used by the forward solve.
  DeviceView<T> partial;
};

/// Device copy of the ForwardLists of one wave.
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

/// Device copy of the BackwardLists of one wave.
class BackwardWave {
 public:
  /// Uploads the lists, and returns when they are on the device.
  BackwardWave(Queue& queue, const BackwardLists& lists);
  /// Returns the number of partial sums that backward() stores in SolveOperands::partial.  Each
  /// partial sum has SolveParams::block x nrhs entries.
  Offset num_slots() const { return num_slots_; }

 private:
  template <class T>
  friend class TriangularSolve;
  DeviceBuffer<FrontSolveTile> tiles_;
  Offset whole_end_, partial_end_;
  std::vector<Offset> step_ptr_;
  Offset num_slots_;
};

/// The kernels of forward and backward solves, and the functions that launch these kernels.  T is
/// double or float.
///
/// Not thread-safe.  All calls of forward() and backward() go to one in-order queue at a time:
/// finish one queue before using another.
template <class T>
class TriangularSolve {
 public:
  /// Builds the kernels.  Throws InvalidArgument when params.valid() is false, and BuildError when
  /// the device's compiler refuses the kernels.
  TriangularSolve(ProgramCache& programs, const SolveParams& params);

  /// Enqueues the forward solve L y = b with the fronts of a wave: overwrites b by y in those rows
  /// of operands.x that are pivot rows of the fronts, and writes the fronts' update vectors to
  /// operands.vectors, where the forward solves of the parents read them.  A complete solve calls
  /// forward() for all waves in ascending order, so that children come before parents.
  /// @param lists  device copy of the FrontLists from which the lists of the wave were made.
  /// Throws InvalidArgument for operands.nrhs < 1, DeviceError when an OpenCL call fails.
  void forward(Queue& queue, const FrontViews& lists, const ForwardWave& wave,
               const SolveOperands<T>& operands);
  /// Enqueues the backward solve L' x = y with the fronts of a wave: overwrites y by x in those
  /// rows of operands.x that are pivot rows of the fronts.  A complete solve calls backward() for
  /// all waves in descending order, so that parents come before children.
  /// @param lists  as in forward().
  /// Throws InvalidArgument for operands.nrhs < 1 and when operands.partial is too small,
  /// DeviceError when an OpenCL call fails.
  void backward(Queue& queue, const FrontViews& lists, const BackwardWave& wave,
                const SolveOperands<T>& operands);

  const SolveParams& params() const { return params_; }

 private:
  // Returns the grid of a launch.  Each pair of a tile and a range of params_.rhs right-hand sides
  // has one work-group.
  Grid grid(Offset tiles, Index nrhs) const;

  SolveParams params_;
  Kernel forward_;
  Kernel whole_, partial_, sum_, step_;
};

}  // namespace clchol::gpu
