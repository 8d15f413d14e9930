// Triangular solves with the factor of a device: all launches prepared once.
//
// A solve goes through ranges of fronts one after another, forward from the first to the last,
// backward the other way round.  A range is what one slab of panels holds (plan.hpp), so that the
// panels of one range are at hand while it is solved with, and those of others need not be.
//
// On NVIDIA, in double precision, by tickets (gpu_kernels/fronts/front_solve.hpp); everywhere else
// wave by wave (gpu_kernels/fronts/triangular_solve.hpp).
#pragma once

#include <memory>

#include "numeric/device/factor.hpp"

namespace clchol::numeric {

/// What a solve reads of a range.
template <class T>
struct SolveRange {
  Index slab = 0;
  gpu::DeviceView<const T> panels;
  /// Inverted diagonal blocks, at an even place of their buffer: others may write there before
  /// invert_blocks(), not between it and the solves.
  gpu::DeviceView<T> inverses;
};

/// Right-hand sides are row-major with leading dimension nrhs, in the factor's order.  For one
/// thread and one queue at a time.  T: double, float.
template <class T>
class DeviceSolve {
 public:
  DeviceSolve() = default;
  DeviceSolve(const DeviceSolve&) = delete;
  DeviceSolve& operator=(const DeviceSolve&) = delete;
  virtual ~DeviceSolve() = default;

  /// Whether work-groups draw tickets for tiles; else one launch follows another, wave by wave.
  virtual bool is_by_tickets() const = 0;

  /// What allocate() and reserve() for so many right-hand sides take of the device's memory.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Values of the inverted blocks of a range.
  virtual Offset inverse_entries(Index slab) const = 0;
  /// Values that a solve with so many right-hand sides writes besides x.
  virtual Offset workspace_entries(Index nrhs) const = 0;
  /// Uploads lists, of a factor that is allocated: once, before the rest.  Blocking.
  /// Throws DeviceError.
  virtual void allocate(gpu::Queue& queue) = 0;

  /// Enqueues the inversion of a range's diagonal blocks: after its panels are there, and before
  /// solves with it.
  virtual void invert_blocks(gpu::Queue& queue, const SolveRange<T>& range) = 0;

  /// Builds kernels for so many right-hand sides that are not there yet, and takes what they need
  /// besides the workspace; blocking.
  /// @param workspace  workspace_entries(nrhs) values, for the solves from here on; others may
  ///                   write there between solves.
  /// Throws BuildError, DeviceError.
  virtual void reserve(gpu::Queue& queue, Index nrhs, gpu::DeviceView<T> workspace) = 0;

  /// The update vector of a front that is handed over (HandedUpdate), nupd x nrhs, row-major, in
  /// the workspace: an imported front's is read by the parent's forward solve, an exported front's
  /// is there after the front's.  Backward solves read and write none of them.
  /// @param front  its number in the plan.
  /// @param nrhs   as many as reserve() was called for last, at most 16.
  virtual gpu::DeviceView<T> update_vector(Index front, Index nrhs) const = 0;

  /// Enqueues the range's part of x := L^-1 x, after those of earlier ranges, and of x := L^-T x,
  /// after those of later ones; x n x nrhs, as many as reserve() was called for last.
  virtual void forward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                       Index nrhs) = 0;
  virtual void backward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                        Index nrhs) = 0;
};

/// Builds the kernels for one right-hand side and makes lists, by so many threads, on the host. The
/// factor and the symbolic factor outlive the result.  Throws BuildError.
template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor, int threads);

}  // namespace clchol::numeric
