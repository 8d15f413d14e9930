// Launches with which benchmarks measure a device's peak rates.  There are three kinds of launches,
// which do nothing else: multiply-adds in registers, copies in global memory, and small matrix
// products on tensor cores.  Kernels: kernels/dense/peak.cl.
//
// Each function below enqueues one launch and returns.  The caller gets the duration of the launch
// from the queue's event log (Queue::set_log).
#pragma once

#include "gpu_kernels/dense/peak_shape.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Launches multiply-adds in registers, and copies in global memory.  Not thread-safe.  T is double
/// or float.
template <class T>
class Peak {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit Peak(ProgramCache& programs);

  /// Enqueues a launch of out.size() work-items.  A work-item has PeakFma<T>::kChains numbers x.
  /// In each of `rounds` rounds, it computes x := a x + b PeakFma<T>::kSteps times for each x.
  /// @param out  out[g] gets the sum of the final numbers x of work-item g.
  /// Throws InvalidArgument unless out.size() is a multiple of kPeakWorkGroup.
  void fma(Queue& queue, Index rounds, DeviceBuffer<T>& out);
  /// Enqueues y := x.  Throws InvalidArgument unless x and y have equal sizes, and the size is a
  /// multiple of 16 bytes.
  void copy(Queue& queue, const DeviceBuffer<T>& x, DeviceBuffer<T>& y);

 private:
  Kernel fma_, copy_;
};

/// Launches products of small matrices on NVIDIA's fp64 tensor cores.  A warp is 32 consecutive
/// work-items, which execute a tensor-core instruction together.  Not thread-safe.
class PeakMma {
 public:
  /// Builds the kernel.  Throws BuildError when the device's compiler refuses the kernel.
  /// @param shape  kM8n8k4 for a device with Capabilities::mma_m8n8k4, or kM16n8k16 for a device
  ///               with Capabilities::mma_m16n8k16.
  PeakMma(ProgramCache& programs, MmaShape shape);

  /// Enqueues a launch of out.size() / shape.tile() warps.  Each warp has MmaShape::kAccumulators
  /// matrices C, and computes C := C + A * B `rounds` times for each of these matrices.
  /// @param rounds  0 to MmaShape::kMostRounds.
  /// @param out     gets, for each warp, the sum of the warp's matrices C: one row-major matrix of
  ///                shape.tile() entries per warp, in the order of the warps.
  /// Throws InvalidArgument for other values of `rounds`, and unless out.size() is a multiple of
  /// MmaShape::kWarps * shape.tile(), the number of entries that one work-group writes.
  void run(Queue& queue, Index rounds, DeviceBuffer<double>& out);

 private:
  MmaShape shape_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
