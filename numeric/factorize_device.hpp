// The device engine's numeric phase: all launches of a factorization, prepared once.
//
//   small fronts wave by wave; then all large fronts in one launch, or in plain OpenCL by waves
//
// Nothing waits: a factorization is enqueueing alone, and a refactorization the same again with
// other values.
#pragma once

#include <memory>
#include <optional>

#include "gpu_kernels/front_batch.hpp"
#include "gpu_kernels/small_front.hpp"
#include "numeric/device_plan.hpp"
#include "numeric/plain_waves.hpp"

namespace clchol::numeric {

/// Kernels' shapes.
struct DeviceKernelParams {
  std::vector<gpu::SmallFrontParams> small_classes;
  Index least_launch = 1000;  // Fewer small fronts of a wave and class join a larger class.
  std::optional<PlainWavesParams> plain;  // In place of what follows.
  gpu::FrontBatchParams batch;
  gpu::BatchOrder order = gpu::BatchOrder::kTickets;
};

/// The factor of one matrix on a device.  For one thread and one queue at a time.
class DeviceFactor {
 public:
  /// Builds kernels, uploads lists and allocates the factor; blocking.
  /// Throws InvalidArgument when a small front fits into no class; BuildError, DeviceError.
  DeviceFactor(gpu::ProgramCache& programs, gpu::Queue& queue,
               const symbolic::SymbolicFactor& factor, const symbolic::ExecutionPlan& entries,
               DevicePlan plan, const DeviceKernelParams& params);

  /// Enqueues the factorization of the matrix whose lower triangle has `values` on the device, in
  /// the order of the analysed pattern.
  void factorize(gpu::Queue& queue, gpu::DeviceView<const double> values);

  const DevicePlan& plan() const { return plan_; }
  gpu::DeviceView<const double> panels() const { return panels_; }
  /// One for each front of the plan.
  gpu::DeviceView<const gpu::PivotStatus<double>> status() const { return status_; }

 private:
  /// Fronts of one wave and size class.
  struct SmallLaunch {
    gpu::SmallFront<double>* kernel = nullptr;
    gpu::DeviceBuffer<Index> listed;
  };

  void make_small_launches(gpu::ProgramCache& programs, gpu::Queue& queue,
                           const DeviceKernelParams& params);

  DevicePlan plan_;
  gpu::FrontBuffers lists_;
  gpu::DeviceBuffer<double> panels_, updates_;
  gpu::DeviceBuffer<gpu::PivotStatus<double>> status_;
  std::vector<std::unique_ptr<gpu::SmallFront<double>>> small_kernels_;  // One for each class.
  std::vector<SmallLaunch> small_launches_;
  std::optional<gpu::FrontBatch> batch_;  // Where there are large fronts.
  gpu::FrontBatchPlan batch_plan_;
  std::optional<PlainWaves<double>> plain_waves_;  // In place of these.
};

}  // namespace clchol::numeric
