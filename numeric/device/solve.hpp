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
// There are two kinds of kernels, which differ in how work-groups get their work:
//
//   by tickets   A work-group draws a number, its ticket, from a counter in device memory.  The
//                ticket is the position of the work-group's next tile in a list of all tiles of a
//                launch (gpu_kernels/fronts/front_solve.hpp).  These kernels are used in double
//                precision, on NVIDIA devices that have the necessary instructions.
//   by waves     The fronts of one wave are solved at the same time, by one or several launches
//                (gpu_kernels/fronts/triangular_solve.hpp).  A wave is a set of fronts whose
//                children are all in earlier waves.  These kernels are used in all other cases.
#pragma once

#include <memory>

#include "numeric/device/factor.hpp"

namespace clchol::numeric {

/// One slab on the device: its number, and the device memory that a solve with its fronts reads.
template <class T>
struct SolveRange {
  Index slab = 0;                   // Number of the slab in the plan.
  gpu::DeviceView<const T> panels;  // Panels of the slab's fronts.
  /// Inverted diagonal blocks of the slab's fronts.  DeviceSolve::invert_blocks() writes them, and
  /// DeviceSolve::forward() and backward() read them.  Length DeviceSolve::inverse_entries(slab).
  /// The offset of the view in its buffer must be an even number of entries.
  gpu::DeviceView<T> inverses;
};

/// Solves with one factor.  An object has the kernels of solves and the lists that these kernels
/// read.  X is row-major with leading dimension nrhs, and the rows of X have the order of the
/// symbolic factor.  The caller calls allocate() once, reserve() whenever nrhs changes,
/// invert_blocks() whenever new panels of a slab are on the device, and in each solve forward() and
/// backward() for every slab.  Not thread-safe.  All commands of one object go to one in-order
/// queue at a time: finish one queue before using another.  T: double, float.
template <class T>
class DeviceSolve {
 public:
  DeviceSolve() = default;
  DeviceSolve(const DeviceSolve&) = delete;
  DeviceSolve& operator=(const DeviceSolve&) = delete;
  virtual ~DeviceSolve() = default;

  /// Returns true if the kernels work by tickets, false if the kernels work by waves.
  virtual bool is_by_tickets() const = 0;

  /// Returns the bytes of device memory that allocate() and reserve(), for nrhs right-hand sides,
  /// allocate together.  The caller's memory (X, workspace, SolveRange) is not included.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Returns the number of entries that SolveRange::inverses must have for a slab.
  virtual Offset inverse_entries(Index slab) const = 0;
  /// Returns the number of entries of the workspace that reserve() needs for nrhs right-hand sides.
  virtual Offset workspace_entries(Index nrhs) const = 0;
  /// Allocates device memory for the lists that the kernels read, and uploads these lists.  Must be
  /// called once, after DeviceFactor::allocate() and before any function below.  Blocking.  Throws
  /// DeviceError.
  virtual void allocate(gpu::Queue& queue) = 0;

  /// Enqueues the inversion of the diagonal blocks of a slab's fronts: reads range.panels and
  /// writes range.inverses.  The commands that write the panels must be enqueued before this call.
  /// After this call, solves with the slab may be enqueued until the caller overwrites the inverted
  /// blocks.
  virtual void invert_blocks(gpu::Queue& queue, const SolveRange<T>& range) = 0;

  /// Prepares solves with nrhs right-hand sides: builds the kernels for this number of right-hand
  /// sides, unless they were built before, and allocates the device memory that these kernels need
  /// besides the workspace.  Blocking.
  /// @param workspace  Device memory of workspace_entries(nrhs) entries, which all following solves
  ///                   use.  The caller may overwrite the workspace between two solves.
  /// Throws BuildError, DeviceError.
  virtual void reserve(gpu::Queue& queue, Index nrhs, gpu::DeviceView<T> workspace) = 0;

  /// Returns the memory, in the workspace of reserve(), for the update vector of an exported or an
  /// imported front.  An exported front belongs to this device, and its parent to another device.
  /// An imported front belongs to another device, and its parent to this device.
  ///
  /// The update vector is nupd x nrhs, row-major.  Update row k of the front, counted from 0 after
  /// the front's pivot rows, is also a row of X.  Row k of the vector is the sum of the terms that
  /// the forward solve with the front and with all its descendants adds to this row of X.
  ///
  ///   exported front   the forward solve with the front writes the vector; the caller reads it
  ///   imported front   the caller writes the vector; the forward solve with the parent reads it
  ///
  /// Backward solves do not use this memory, so during a backward solve the caller may use the
  /// memory for other data.
  /// @param front  Number of the front in the plan: HandedUpdate::front.
  /// @param nrhs   Number of right-hand sides in the last call of reserve().  Must not exceed 16:
  ///               with more right-hand sides, the kernels by tickets store an update vector in
  ///               several pieces.
  virtual gpu::DeviceView<T> update_vector(Index front, Index nrhs) const = 0;

  /// forward() enqueues the part of X := L^-1 X, and backward() the part of X := L^-T X, that reads
  /// the panels of one slab.  The caller must call forward() once for each slab of
  /// DevicePlan::solve_order, in this order, and backward() once for each of these slabs in the
  /// reverse order.
  /// @param x     X in device memory, n x nrhs.
  /// @param nrhs  Number of right-hand sides in the last call of reserve().
  virtual void forward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                       Index nrhs) = 0;
  virtual void backward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                        Index nrhs) = 0;
};

/// Makes the object for solves with one factor: by tickets if the device can run these kernels,
/// otherwise by waves.  Builds the kernels for one right-hand side, and makes the lists that the
/// kernels read, in host memory.
/// @param symbolic, factor  Must outlive the result.
/// @param threads           Number of host threads that make lists.
/// Throws BuildError.
template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor, int threads);

}  // namespace clchol::numeric
