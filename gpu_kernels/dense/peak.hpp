// Launches with which benchmarks measure a device's peak rates: loops of multiply-adds alone,
// copies alone, or small matrix products on tensor cores alone.  Kernels: kernels/dense/peak.cl.
//
// Each member function enqueues one launch and returns.  The caller takes the launch's time from
// the log of the queue (Queue::set_log).
#pragma once

#include "gpu_kernels/dense/peak_shape.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Multiply-adds in registers, and copies in global memory.  Not thread-safe.  T is double or
/// float.
template <class T>
class Peak {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit Peak(ProgramCache& programs);

  /// Enqueues out.size() work-items, each of which does `rounds` rounds of multiply-adds (PeakFma).
  /// @param out  gets the sum of each work-item's chains.
  /// Throws InvalidArgument unless out.size() is a multiple of kPeakWorkGroup.
  void fma(Queue& queue, Index rounds, DeviceBuffer<T>& out);
  /// Enqueues y := x.  Throws InvalidArgument unless x and y have equal sizes, a multiple of 16
  /// bytes.
  void copy(Queue& queue, const DeviceBuffer<T>& x, DeviceBuffer<T>& y);

 private:
  Kernel fma_, copy_;
};

/// Products of small matrices on NVIDIA's fp64 tensor cores.  Not thread-safe.
class PeakMma {
 public:
  /// Builds the kernel.  Throws BuildError when the device's compiler refuses the kernel.
  /// @param shape  kM8n8k4 for a device with Capabilities::mma_m8n8k4, or kM16n8k16 for a device
  ///               with Capabilities::mma_m16n8k16.
  PeakMma(ProgramCache& programs, MmaShape shape);

  /// Enqueues out.size() / shape.tile() warps, each of which computes C := C + A * B `rounds` times
  /// for each of its MmaShape::kAccumulators matrices C.
  /// @param rounds  0 to MmaShape::kMostRounds.
  /// @param out     gets the sum of each warp's matrices C, row-major, one warp after another.
  /// Throws InvalidArgument for other values of `rounds`, and unless out.size() is a multiple of
  /// MmaShape::kWarps * shape.tile(), the entries of a work-group.
  void run(Queue& queue, Index rounds, DeviceBuffer<double>& out);

 private:
  MmaShape shape_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
