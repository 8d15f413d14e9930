// Adds a multiple of a vector to another vector, on the device.  Kernel: kernels/dense/axpy.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Computes y := y + a x on the device.  Not thread-safe.  T is double or float.
template <class T>
class Axpy {
 public:
  /// Builds the kernel.  Throws BuildError when the device's compiler refuses the kernel.
  explicit Axpy(ProgramCache& programs);

  /// Enqueues y := y + a x and returns.  Throws InvalidArgument unless x and y have equal sizes.
  void run(Queue& queue, T a, DeviceView<const T> x, DeviceView<T> y);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
