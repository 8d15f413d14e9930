// Copies listed entries of a vector into another vector, on the device.
// Kernel: kernels/dense/gather.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The kernel, for one thread and one queue at a time.  T: double, float.
template <class T>
class Gather {
 public:
  /// Throws BuildError.
  explicit Gather(ProgramCache& programs);

  /// Enqueues y[k] := x[places[k]] for all k < places.size.
  /// @param places  positions in x, which are not checked.
  /// Throws InvalidArgument when y has fewer entries than places.
  void run(Queue& queue, DeviceView<const Offset> places, DeviceView<const T> x, DeviceView<T> y);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
