// Triangular solves with the Cholesky factor L on a device: X := L^-1 X (forward) and
// X := L^-T X (backward), where X has n rows and nrhs columns, the right-hand sides.  The lists
// that the kernels read are made and uploaded once; a solve only enqueues kernels.
//
// L is stored in panels, one for each front.  A slab is the panels of some fronts in one range of
// memory.  A solve takes one slab after another: the forward solve in the order of
// DevicePlan::solve_order (plan.hpp), the backward solve in the reverse order.  Only the panels of
// the current slab must be on the device, together with the inverted diagonal blocks of its fronts:
// inverses of small triangular blocks on the diagonal of L, by which the kernels multiply instead
// of solving with these blocks.
//
// There are two kinds of kernels.  They differ in how work-groups get their work:
//
//   by tickets   A work-group draws a number, its ticket, from a counter in device memory.  The
//                ticket is the position of the work-group's next tile in a list of all tiles of a
//                launch: gpu_kernels/fronts/front_solve.hpp.  In double precision on NVIDIA devices
//                that have the instructions for it.
//   by waves     Each launch computes one wave: fronts of equal height in the tree, whose children
//                are in earlier waves.  gpu_kernels/fronts/triangular_solve.hpp.  In all other
//                cases.
#pragma once

#include <memory>

#include "numeric/device/factor.hpp"

namespace clchol::numeric {

/// One slab on the device: its number, and the device memory that a solve with its fronts reads.
template <class T>
struct SolveRange {
  Index slab = 0;                   // Number of the slab in the plan.
  gpu::DeviceView<const T> panels;  // Panels of the slab's fronts.
  /// Inverted diagonal blocks of the slab's fronts.  The view begins at an even number of entries
  /// from the beginning of its buffer.  DeviceSolve::invert_blocks() writes the blocks;
  /// DeviceSolve::forward() and backward() read them.
  gpu::DeviceView<T> inverses;
};

/// Solves with one factor, and the lists that its kernels read.  X is row-major with leading
/// dimension nrhs, and its rows have the order of the symbolic factor.  Not thread-safe.  All
/// commands of one object go to one in-order queue at a time: finish one queue before using
/// another.  T: double, float.
template <class T>
class DeviceSolve {
 public:
  DeviceSolve() = default;
  DeviceSolve(const DeviceSolve&) = delete;
  DeviceSolve& operator=(const DeviceSolve&) = delete;
  virtual ~DeviceSolve() = default;

  /// Returns whether the kernels work by tickets.  Otherwise they work by waves.
  virtual bool is_by_tickets() const = 0;

  /// Returns the bytes of device memory that allocate() and reserve(), for nrhs right-hand sides,
  /// allocate together.  The caller's memory (X, workspace, SolveRange) is not included.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Returns the number of entries that SolveRange::inverses must have for a slab.
  virtual Offset inverse_entries(Index slab) const = 0;
  /// Returns the number of entries of the workspace that reserve() needs for nrhs right-hand sides.
  virtual Offset workspace_entries(Index nrhs) const = 0;
  /// Allocates device memory for the lists and uploads them.  Must be called once, after
  /// DeviceFactor::allocate() and before any function below.  Blocking.  Throws DeviceError.
  virtual void allocate(gpu::Queue& queue) = 0;

  /// Enqueues the inversion of the diagonal blocks of a slab's fronts: reads range.panels and
  /// writes range.inverses.  The commands that write the panels must be enqueued before this call.
  /// Afterwards solves with the slab may be enqueued, as long as the inverted blocks are not
  /// overwritten.
  virtual void invert_blocks(gpu::Queue& queue, const SolveRange<T>& range) = 0;

  /// Prepares solves with nrhs right-hand sides: builds the kernels for this number, if that was
  /// not done before, and allocates the device memory that they need besides the workspace.
  /// Blocking.
  /// @param workspace  Device memory of workspace_entries(nrhs) entries, which all following solves
  ///                   use.  The caller may overwrite it between two solves.
  /// Throws BuildError, DeviceError.
  virtual void reserve(gpu::Queue& queue, Index nrhs, gpu::DeviceView<T> workspace) = 0;

  /// Returns the memory in the workspace for the update vector of a front whose parent another
  /// device has (exported front), or of a front that another device has and whose parent is here
  /// (imported front).  The vector is nupd x nrhs, row-major.  For each of the front's nupd update
  /// rows, it holds the amounts, added up, that the forward solve with the front and with its
  /// descendants adds to this row of X.
  ///
  ///   exported front   the forward solve with the front writes the vector; the caller reads it
  ///   imported front   the caller writes the vector; the forward solve with the parent reads it
  ///
  /// Backward solves do not use this memory, so the caller may use it then for other data.
  /// @param front  Number of the front in the plan: HandedUpdate::front.
  /// @param nrhs   Right-hand sides of the last call of reserve(), at most 16.
  virtual gpu::DeviceView<T> update_vector(Index front, Index nrhs) const = 0;

  /// Enqueue the part of X := L^-1 X (forward) or of X := L^-T X (backward) that reads the panels
  /// of one slab.  The caller must call forward() once for each slab of DevicePlan::solve_order, in
  /// this order, and backward() once for each of these slabs in the reverse order.
  /// @param x     X in device memory, n x nrhs.
  /// @param nrhs  Right-hand sides of the last call of reserve().
  virtual void forward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                       Index nrhs) = 0;
  virtual void backward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                        Index nrhs) = 0;
};

/// Makes the object for solves with one factor: by tickets if the device can run these kernels,
/// otherwise by waves.  Builds the kernels for one right-hand side, and makes the lists in host
/// memory.
/// @param symbolic, factor  Must outlive the result.
/// @param threads           Number of host threads that make lists.
/// Throws BuildError.
template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor, int threads);

}  // namespace clchol::numeric
