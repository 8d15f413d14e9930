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

  /// X := (L L')^-1 X, or one half of it; X in the final numbering, on the host.
  /// Throws DeviceError.
  void solve(const DenseView<T>& x, bool forward, bool backward) const;

  /// Diagonal of L, in the final numbering.
  std::vector<T> diagonal() const;

  const gpu::DeviceRuntime& runtime() const { return *runtime_; }

 private:
  FactorResult read_result();

  std::shared_ptr<gpu::DeviceRuntime> runtime_;
  const symbolic::SymbolicFactor* symbolic_;
  DeviceFactor<T> factor_;
  gpu::FirstFailure<T> first_failure_;
  gpu::DeviceBuffer<T> values_;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> failure_;

  mutable std::mutex mutex_;  // Of the queue and what follows.
  mutable DeviceSolve<T> solve_;
  mutable gpu::DeviceBuffer<T> x_;
  mutable std::vector<T> staged_;  // X by rows.
};

}  // namespace clchol::numeric
