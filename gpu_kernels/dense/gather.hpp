// Entries picked from a vector on the device: kernels/dense/gather.cl.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class Gather {
 public:
  /// Throws BuildError.
  explicit Gather(ProgramCache& programs);

  /// y[k] := x[places[k]] for all places, which are positions in x.  Enqueues.
  /// Throws InvalidArgument when y is too short.
  void run(Queue& queue, DeviceView<const Offset> places, DeviceView<const T> x, DeviceView<T> y);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
