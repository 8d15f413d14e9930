// Adds a multiple of one vector to another, on the device.  Kernel: kernels/dense/axpy.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The kernel, for one thread and one queue at a time.  T: double, float.
template <class T>
class Axpy {
 public:
  /// Throws BuildError.
  explicit Axpy(ProgramCache& programs);

  /// Enqueues y := y + a x.  Throws InvalidArgument unless x and y have equal sizes.
  void run(Queue& queue, T a, DeviceView<const T> x, DeviceView<T> y);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
