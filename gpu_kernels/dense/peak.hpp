// Kernels that measure a device's peak rates: loops of nothing but multiply-adds, copies, or
// products on tensor cores.  Kernels: kernels/dense/peak.cl.
//
// Each member function enqueues one launch and returns.  The caller takes the time from the
// launch's event.
#pragma once

#include "gpu_kernels/dense/peak_shape.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Multiply-adds in registers, and copies.  For one thread and one queue at a time.  T: double,
/// float.
template <class T>
class Peak {
 public:
  /// Throws BuildError.
  explicit Peak(ProgramCache& programs);

  /// Enqueues `rounds` rounds of PeakFma's chains x := a x + b, in work-groups of kPeakWorkGroup.
  /// @param out  one number of each work-item, for whole work-groups.
  /// Throws InvalidArgument for another size.
  void fma(Queue& queue, Index rounds, DeviceBuffer<T>& out);
  /// Enqueues y := x.  Throws InvalidArgument unless x and y have equal sizes in whole 16 bytes.
  void copy(Queue& queue, const DeviceBuffer<T>& x, DeviceBuffer<T>& y);

 private:
  Kernel fma_, copy_;
};

/// Products of small matrices on NVIDIA's fp64 tensor cores.
class PeakMma {
 public:
  /// Builds the kernel.  The device must have the capability mma_m8n8k4 or mma_m16n8k16, as `shape`
  /// says.  Throws BuildError.
  PeakMma(ProgramCache& programs, MmaShape shape);

  /// Enqueues `rounds` products for each matrix C of each warp.
  /// @param rounds  0 to 4096, the bound for exact results.
  /// @param out     MmaShape::m * 8 numbers of each warp, for whole work-groups of kWarps warps.
  /// Throws InvalidArgument for other rounds or another size of `out`.
  void run(Queue& queue, Index rounds, DeviceBuffer<double>& out);

 private:
  MmaShape shape_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
