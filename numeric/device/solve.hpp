// Triangular solves with the factor of a device: all launches prepared once.
//
// On NVIDIA, in double precision, by tickets (gpu_kernels/fronts/front_solve.hpp); everywhere else
// wave by wave (gpu_kernels/fronts/triangular_solve.hpp).
#pragma once

#include <memory>

#include "numeric/device/factor.hpp"

namespace clchol::numeric {

/// Right-hand sides are row-major with leading dimension nrhs, in the factor's order.  For one
/// thread and one queue at a time.  T: double, float.
template <class T>
class DeviceSolve {
 public:
  DeviceSolve() = default;
  DeviceSolve(const DeviceSolve&) = delete;
  DeviceSolve& operator=(const DeviceSolve&) = delete;
  virtual ~DeviceSolve() = default;

  /// "tickets" or "waves".
  virtual const char* order() const = 0;

  /// What allocate() and reserve() for so many right-hand sides take of the device's memory.
  virtual Offset bytes(Index nrhs) const = 0;
  /// Values of the inverted blocks.
  virtual Offset inverse_entries() const = 0;
  /// Values that a solve with so many right-hand sides writes besides x.
  virtual Offset workspace_entries(Index nrhs) const = 0;
  /// Uploads lists, of a factor that is allocated: once, before the rest.  Blocking.
  /// @param inverses  inverse_entries() values at an even place: others may write there before
  ///                  invert_blocks(), not between it and the solves.
  /// Throws DeviceError.
  virtual void allocate(gpu::Queue& queue, gpu::DeviceView<T> inverses) = 0;

  /// Enqueues the inversion of the factor's diagonal blocks: once after each factorization.
  virtual void invert_blocks(gpu::Queue& queue) = 0;

  /// Builds kernels for so many right-hand sides that are not there yet, and takes what they need
  /// besides the workspace; blocking.
  /// @param workspace  workspace_entries(nrhs) values, for the solves from here on; others may
  ///                   write there between solves.
  /// Throws BuildError, DeviceError.
  virtual void reserve(gpu::Queue& queue, Index nrhs, gpu::DeviceView<T> workspace) = 0;

  /// Enqueues x := L^-1 x and x := L^-T x, x n x nrhs; for as many as reserve() was called last.
  virtual void forward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs) = 0;
  virtual void backward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs) = 0;
};

/// Builds the kernels for one right-hand side and makes lists, by so many threads, on the host. The
/// factor and the symbolic factor outlive the result.  Throws BuildError.
template <class T>
std::unique_ptr<DeviceSolve<T>> make_device_solve(gpu::DeviceRuntime& runtime,
                                                  const symbolic::SymbolicFactor& symbolic,
                                                  const DeviceFactor<T>& factor, int threads);

}  // namespace clchol::numeric
