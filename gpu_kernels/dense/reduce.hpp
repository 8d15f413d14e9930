// Reductions of device vectors to one number on the device: kernels/dense/reduce.cl.
//
// Sums are added up in an order that n alone decides: the same bits at every run on one device.
// Error: at most (k + 10) eps sum|terms| with k = ceil(n / (256 * groups)) terms a work-item,
// groups at most 256.  norm2 is not safe from overflow; max_norm is NaN when an entry is. Cost: two
// launches, one pass over the operands.  Nothing waits; read the result in order. Empty vectors
// give 0.
#pragma once

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// How the last levels of a reduction's tree are done; all forms give the same result.
enum class WarpForm {
  kGeneric,      // Barriers and local memory: any device.
  kWarpShuffle,  // shfl.sync of NVIDIA's PTX.
  kWave64,       // Waves of 64 in lockstep: AMD GCN and CDNA.
};

/// Kernels and workspace for one thread and one queue at a time.  T: double, float.
template <class T>
class Reduce {
 public:
  /// Throws BuildError when the device does not take the form (or T): kGeneric is always tried last
  /// by whoever chooses.
  explicit Reduce(ProgramCache& programs, WarpForm form = WarpForm::kGeneric);

  /// result[0] := sum_i x[i] * y[i].  Throws InvalidArgument unless x and y have one size and
  /// result room for a number; so do the others.
  void dot(Queue& queue, DeviceView<const T> x, DeviceView<const T> y, DeviceView<T> result);
  /// result[0] := sqrt(sum_i x[i]^2)
  void norm2(Queue& queue, DeviceView<const T> x, DeviceView<T> result);
  /// result[0] := max_i |x[i]|
  void max_norm(Queue& queue, DeviceView<const T> x, DeviceView<T> result);

  static constexpr Offset kGroup = 256;      // Work-items of a group, as in the kernel file.
  static constexpr Offset kMaxGroups = 256;  // Partial results.

 private:
  struct Split {
    Offset groups;
    Offset chunk;  // Entries of a group.
  };
  static Split split(Offset n);

  Kernel dot_, squares_, max_;
  Kernel finish_dot_, finish_norm2_, finish_max_;
  DeviceBuffer<T> partial_;  // kMaxGroups
};

}  // namespace clchol::gpu
