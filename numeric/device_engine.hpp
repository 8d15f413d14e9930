// The device engine: factor and solve wholly on one OpenCL device; values go in and x comes out.
//
// Everything that the pattern decides is prepared by the constructor; a factorization uploads
// values and enqueues.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/dense_view.hpp"
#include "gpu_kernels/first_failure.hpp"
#include "gpu_kernels/gather.hpp"
#include "gpu_kernels/permute_rhs.hpp"
#include "numeric/factorize_cpu.hpp"
#include "numeric/factorize_device.hpp"
#include "numeric/solve_device.hpp"

namespace clchol::numeric {

/// The factor of one matrix.  T: double, float.  Calls may come from several threads; solves run
/// one after another.
template <class T>
class DeviceEngine {
 public:
  /// Builds kernels, uploads lists, allocates; blocking.  The symbolic factor outlives it.
  /// Throws DeviceError, BuildError.
  DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
               const symbolic::SymbolicFactor& symbolic, const symbolic::ExecutionPlan& plan);

  /// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern;
  /// returns when it is done.  Throws DeviceError.
  FactorResult factorize(std::span<const T> values, const Control& control);

  /// The same with the values on the device, read by commands on its queue.  Throws DeviceError.
  FactorResult factorize(gpu::DeviceView<const T> values);

  /// X := A^-1 B, in the original numbering; B and X are n x nrhs on the device.  X may be B.
  /// Enqueues, and waits for nothing once there is room for nrhs.
  /// Throws InvalidArgument for views that are too short, DeviceError.
  void solve(const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x) const;

  /// X := (L L')^-1 X, or one half of it; X in the final numbering, on the host.
  /// Throws DeviceError.
  void solve(const DenseView<T>& x, bool forward, bool backward) const;

  /// Diagonal of L, in the final numbering.
  std::vector<T> diagonal() const;

  const gpu::DeviceRuntime& runtime() const { return *runtime_; }
  gpu::DeviceRuntime& runtime() { return *runtime_; }

 private:
  FactorResult factor_and_wait(gpu::DeviceView<const T> values);
  FactorResult read_result();
  void reserve(Index nrhs) const;

  std::shared_ptr<gpu::DeviceRuntime> runtime_;
  const symbolic::SymbolicFactor* symbolic_;
  DeviceFactor<T> factor_;
  gpu::FirstFailure<T> first_failure_;
  gpu::DeviceBuffer<T> values_;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> failure_;

  mutable std::mutex mutex_;  // Of the queue and what follows.
  std::unique_ptr<DeviceSolve<T>> solve_;
  mutable gpu::DeviceBuffer<T> x_;
  mutable std::vector<T> staged_;  // X by rows.
  mutable gpu::PermuteRhs<T> permute_;
  gpu::DeviceBuffer<Index> perm_;
};

}  // namespace clchol::numeric
