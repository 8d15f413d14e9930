// Triangular solves X := L^-1 X (forward) and X := L^-T X (backward) on a device.  The lists of all
// launches are made once; a solve only enqueues.
//
// A solve processes the fronts slab by slab: the forward solve in the order of
// DevicePlan::solve_order (plan.hpp), the backward solve in the reverse order.  Only the panels and
// the inverted diagonal blocks of the current slab must be on the device.
//
// There are two kinds of kernels.  They differ in how work-groups get their work:
//
//   by tickets   Work-groups of one launch draw numbers, their next tiles, from a counter:
//                gpu_kernels/fronts/front_solve.hpp.  For double precision on NVIDIA.
//   by waves     One launch follows another, for fronts of equal height in the tree:
//                gpu_kernels/fronts/triangular_solve.hpp.  Everywhere else.
#pragma once

#include <memory>

#include "numeric/device/factor.hpp"

namespace clchol::numeric {

/// The fronts of one slab, and the device memory that a solve with these fronts reads.
template <class T>
struct SolveRange {
  Index slab = 0;                   // Number of the slab in the plan.
  gpu::DeviceView<const T> panels;  // Panels of the slab.
  /// Inverted diagonal blocks of the slab's fronts, at an even offset of their buffer.
  /// DeviceSolve::invert_blocks() writes the inverses; forward() and backward() read them.
  gpu::DeviceView<T> inverses;
};

/// The launches of the solves with one factor.  X is row-major with leading dimension nrhs, and its
/// rows have the order of the symbolic factor.  Not thread-safe.  All commands of one object go to
/// one in-order queue at a time: finish one queue before using another.  T: double, float.
template <class T>
class DeviceSolve {
 public:
  DeviceSolve() = default;
  DeviceSolve(const DeviceSolve&) = delete;
  DeviceSolve& operator=(const DeviceSolve&) = delete;
  virtual ~DeviceSolve() = default;

  /// Returns whether the kernels work by tickets.  Otherwise they work by waves.
  virtual bool is_by_tickets() const = 0;

  /// Returns the bytes of device memory that allocate() and reserve(..., nrhs, ...) allocate
  /// together.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Returns the entries of SolveRange::inverses for a slab.
  virtual Offset inverse_entries(Index slab) const = 0;
  /// Returns the entries of the workspace of a solve with nrhs right-hand sides, without X.
  virtual Offset workspace_entries(Index nrhs) const = 0;
  /// Uploads the lists.  Must be called once, after DeviceFactor::allocate() and before any
  /// function below.  Blocking.  Throws DeviceError.
  virtual void allocate(gpu::Queue& queue) = 0;

  /// Enqueues the inversion of the diagonal blocks of a slab's fronts, from range.panels to
  /// range.inverses.  The commands that write the panels must be enqueued before this call.
  /// Solves with the slab may be enqueued after this call, until the inverses are overwritten.
  virtual void invert_blocks(gpu::Queue& queue, const SolveRange<T>& range) = 0;

  /// Prepares solves with nrhs right-hand sides: builds kernels for this number where they are
  /// missing, and allocates the memory that these kernels need besides the workspace.  Blocking.
  /// @param workspace  workspace_entries(nrhs) entries that all following solves use.  The caller
  ///                   may overwrite them between two solves.
  /// Throws BuildError, DeviceError.
  virtual void reserve(gpu::Queue& queue, Index nrhs, gpu::DeviceView<T> workspace) = 0;

  /// Returns the memory, in the workspace, of the update vector of an imported or exported front
  /// (HandedUpdate): nupd x nrhs, row-major.  The vector holds the sums that the forward solve with
  /// the front adds to rows of the parent.  For an imported front, the caller writes the vector and
  /// the forward solve with the parent reads it.  For an exported front, the forward solve with the
  /// front writes the vector and the caller reads it.  Backward solves do not use this memory, so
  /// that the caller may.
  /// @param front  Number of the front in the plan.
  /// @param nrhs   Right-hand sides of the last call of reserve(), at most 16.
  virtual gpu::DeviceView<T> update_vector(Index front, Index nrhs) const = 0;

  /// Enqueue the steps of X := L^-1 X (forward) or of X := L^-T X (backward) that belong to the
  /// slab's fronts.  The caller must call forward() for all slabs in the order of
  /// DevicePlan::solve_order, and backward() in the reverse order.
  /// @param x     X, n x nrhs.
  /// @param nrhs  Right-hand sides of the last call of reserve().
  virtual void forward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                       Index nrhs) = 0;
  virtual void backward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                        Index nrhs) = 0;
};

/// Builds the kernels for one right-hand side and makes the lists in host memory.
/// @param symbolic, factor  Must outlive the result.
/// @param threads           Host threads that make lists.
/// Throws BuildError.
template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor, int threads);

}  // namespace clchol::numeric
