// The device engine's numeric phase: all launches of a factorization, prepared once.
//
//   small fronts wave by wave; then all large fronts in one launch, or in plain OpenCL by waves
//
// Nothing waits: a factorization is enqueueing alone, and a refactorization the same again with
// other values.
#pragma once

#include <memory>
#include <optional>

#include "gpu_kernels/device_runtime.hpp"
#include "gpu_kernels/front_batch.hpp"
#include "gpu_kernels/small_front.hpp"
#include "numeric/device_plan.hpp"
#include "numeric/plain_waves.hpp"

namespace clchol::numeric {

/// Kernels' shapes.
struct DeviceKernelParams {
  std::vector<gpu::SmallFrontParams> small_classes;
  Index least_launch = 1000;  // Fewer small fronts of a wave and class join a larger class.
  std::optional<PlainWavesParams> plain;  // In place of what follows, which is for double alone.
  gpu::FrontBatchParams batch;
  gpu::BatchOrder order = gpu::BatchOrder::kTickets;
};

/// The fastest for a device: with tensor cores where it has some.
template <class T>
DeviceKernelParams device_kernel_params(const gpu::DeviceRuntime& runtime);

/// Plain OpenCL: for any device.
template <class T>
DeviceKernelParams plain_kernel_params(const gpu::DeviceRuntime& runtime);

/// The factor of one matrix on a device.  For one thread and one queue at a time.  T: double,
/// float.
template <class T>
class DeviceFactor {
 public:
  /// Builds kernels, uploads lists and allocates the factor; blocking.
  /// Throws InvalidArgument when a small front fits into no class; BuildError, DeviceError.
  DeviceFactor(gpu::ProgramCache& programs, gpu::Queue& queue,
               const symbolic::SymbolicFactor& factor, const symbolic::ExecutionPlan& entries,
               DevicePlan plan, const DeviceKernelParams& params);

  /// Enqueues the factorization of the matrix whose lower triangle has `values` on the device, in
  /// the order of the analysed pattern.
  void factorize(gpu::Queue& queue, gpu::DeviceView<const T> values);

  const DevicePlan& plan() const { return plan_; }
  /// What the plan's fronts refer to, on the device.
  const gpu::FrontBuffers& lists() const { return lists_; }
  gpu::DeviceView<const T> panels() const { return panels_; }
  /// One for each front of the plan.
  gpu::DeviceView<const gpu::PivotStatus<T>> status() const { return status_; }

 private:
  /// Fronts of one wave and size class.
  struct SmallLaunch {
    gpu::SmallFront<T>* kernel = nullptr;
    gpu::DeviceBuffer<Index> listed;
  };
  /// All large fronts on tensor cores.
  struct Batch {
    gpu::FrontBatch kernel;
    gpu::FrontBatchPlan plan;
  };

  void make_small_launches(gpu::ProgramCache& programs, gpu::Queue& queue,
                           const DeviceKernelParams& params);
  void factorize_batch(gpu::Queue& queue, gpu::DeviceView<const T> values);

  DevicePlan plan_;
  gpu::FrontBuffers lists_;
  gpu::DeviceBuffer<T> panels_, updates_;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> status_;
  std::vector<std::unique_ptr<gpu::SmallFront<T>>> small_kernels_;  // Of classes in use.
  std::vector<SmallLaunch> small_launches_;
  std::optional<Batch> batch_;                // Where there are large fronts;
  std::optional<PlainWaves<T>> plain_waves_;  // in plain OpenCL this.
};

}  // namespace clchol::numeric
