// What a device can do at most, measured by loops without anything else: kernels/dense/peak.cl.
//
// They launch once and return; whoever measures reads the event's times.
#pragma once

#include "gpu_kernels/dense/peak_shape.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Multiply-adds in registers and copies.  T: double, float.  One thread and one queue at a time.
template <class T>
class Peak {
 public:
  /// Throws BuildError.
  explicit Peak(ProgramCache& programs);

  /// Chains of x := a x + b with PeakFma's a and b, in work-groups of kPeakGroup.
  /// @param out  a number for each work-item.  Throws InvalidArgument for another size.
  void fma(Queue& queue, Index rounds, DeviceBuffer<T>& out);
  /// y := x.  Throws InvalidArgument unless they have one size, a multiple of 16 bytes.
  void copy(Queue& queue, const DeviceBuffer<T>& x, DeviceBuffer<T>& y);

 private:
  Kernel fma_, copy_;
};

/// Products of small matrices on NVIDIA's fp64 tensor cores.
class PeakMma {
 public:
  /// Only for devices whose capability for this shape is present.  Throws BuildError.
  PeakMma(ProgramCache& programs, MmaShape shape);

  /// @param rounds  at most 4096: results are exact.
  /// @param out     MmaShape::m * 8 numbers for each of kWarps warps of every work-group.
  /// Throws InvalidArgument for another size.
  void run(Queue& queue, Index rounds, DeviceBuffer<double>& out);

 private:
  MmaShape shape_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
