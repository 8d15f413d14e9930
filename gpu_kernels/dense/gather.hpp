// Gathers entries of a vector x: y[k] := x[places[k]] for a list `places` of indices, on the
// device.  Kernel: kernels/dense/gather.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Computes y[k] := x[places[k]] on the device.  Not thread-safe.  T is double or float.
template <class T>
class Gather {
 public:
  /// Builds the kernel.  Throws BuildError when the device's compiler refuses the kernel.
  explicit Gather(ProgramCache& programs);

  /// Enqueues y[k] := x[places[k]] for all k < places.size, and returns.
  /// @param places  indices into x; the caller guarantees that they are less than x.size.
  /// Throws InvalidArgument when y has fewer entries than `places`.
  void run(Queue& queue, DeviceView<const Offset> places, DeviceView<const T> x, DeviceView<T> y);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
