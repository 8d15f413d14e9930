// Triangular solves with the factor of a device, all launches prepared once.
//
// A solve takes ranges of fronts one after another: forward from the first range to the last,
// backward from the last to the first.  A range is the fronts of one slab of panels (plan.hpp).
// Only the panels of the current range have to be on the device.
//
// Solves go by tickets (gpu_kernels/fronts/front_solve.hpp) on NVIDIA in double precision, and wave
// by wave (gpu_kernels/fronts/triangular_solve.hpp) everywhere else.
#pragma once

#include <memory>

#include "numeric/device/factor.hpp"

namespace clchol::numeric {

/// The memory of a range that a solve reads.
template <class T>
struct SolveRange {
  Index slab = 0;                   // Slab whose fronts are the range.
  gpu::DeviceView<const T> panels;  // Panels of the slab.
  /// Inverted diagonal blocks, at an even offset of their buffer.  The memory may have any content
  /// before invert_blocks(), and must not change between invert_blocks() and the solves.
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

  /// Bytes of device memory that allocate(), and reserve() for nrhs right-hand sides, allocate.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Entries of the inverted blocks of a slab's range.
  virtual Offset inverse_entries(Index slab) const = 0;
  /// Entries of the workspace of a solve with nrhs right-hand sides.  x is not part of it.
  virtual Offset workspace_entries(Index nrhs) const = 0;
  /// Uploads the lists.  Must be called once, after DeviceFactor::allocate() and before any
  /// function below.  Blocking.  Throws DeviceError.
  virtual void allocate(gpu::Queue& queue) = 0;

  /// Enqueues the inversion of a range's diagonal blocks.  The commands that write the panels must
  /// be enqueued before, solves with the range afterwards.
  virtual void invert_blocks(gpu::Queue& queue, const SolveRange<T>& range) = 0;

  /// Prepares solves with nrhs right-hand sides: builds kernels that are missing, and allocates
  /// what they need besides the workspace.  Blocking.
  /// @param workspace  workspace_entries(nrhs) entries, used by all solves from here on.  Their
  ///                   content need not be kept between solves.
  /// Throws BuildError, DeviceError.
  virtual void reserve(gpu::Queue& queue, Index nrhs, gpu::DeviceView<T> workspace) = 0;

  /// The update vector, in the workspace, of a front that is handed over (HandedUpdate): nupd x
  /// nrhs, row-major.  The parent's forward solve reads the vector of an imported front.  The
  /// front's forward solve writes the vector of an exported front.  Backward solves use neither.
  /// @param front  Number of the front in the plan.
  /// @param nrhs   Right-hand sides of the last call of reserve(), at most 16.
  virtual gpu::DeviceView<T> update_vector(Index front, Index nrhs) const = 0;

  /// Enqueues the range's part of x := L^-1 x (forward) or of x := L^-T x (backward).  Forward, all
  /// earlier ranges must be enqueued before; backward, all later ranges.
  /// @param x     n x nrhs.
  /// @param nrhs  Right-hand sides of the last call of reserve().
  virtual void forward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                       Index nrhs) = 0;
  virtual void backward(gpu::Queue& queue, const SolveRange<T>& range, gpu::DeviceView<T> x,
                        Index nrhs) = 0;
};

/// Builds the kernels for one right-hand side and makes lists, by `threads` host threads.  The
/// factor and the symbolic factor must outlive the result.  Throws BuildError.
template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor, int threads);

}  // namespace clchol::numeric
