// Iterative refinement on a device.  Residuals, norms and corrections stay on the device; a few
// numbers for each step go to the host.  [ADD89] defines the componentwise error and shows why
// refinement in the working precision makes it small.
#pragma once

#include <functional>
#include <vector>

#include "base/csc.hpp"
#include "base/transposed_index.hpp"
#include "gpu_kernels/dense/axpy.hpp"
#include "gpu_kernels/dense/permute_rhs.hpp"
#include "gpu_kernels/dense/residual.hpp"
#include "gpu_kernels/runtime/device_runtime.hpp"
#include "numeric/residual.hpp"

namespace clchol::numeric {

/// When the refinement of a right-hand side ends: both backward errors are within the bounds below,
/// a step does not halve the componentwise error, or max_steps steps are done.
struct RefineOptions {
  int max_steps = 10;
  double normwise = 1e-15;       // Bound on the normwise backward error.
  double componentwise = 1e-15;  // Bound on the componentwise backward error.
};

/// Outcome for one right-hand side.
struct RefineResult {
  BackwardError error;  // Backward errors of the solution that is kept.
  int steps = 0;        // Steps that were done.
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class DeviceRefinement {
 public:
  /// Enqueues z := A^-1 r.
  using Solve =
      std::function<void(const gpu::DeviceColumns<const T>& r, const gpu::DeviceColumns<T>& z)>;

  /// Builds kernels and uploads the pattern.  Blocking.  Throws BuildError, DeviceError.
  DeviceRefinement(gpu::DeviceRuntime& runtime, const CscPatternView& lower,
                   const TransposedIndex& transposed);

  /// Bytes of device memory that a refinement of nrhs right-hand sides at once needs.
  /// @param nnz  Stored entries of the lower triangle.
  static Offset bytes(Index n, Offset nnz, Index nrhs);

  /// Refines X, an approximate solution of A X = B.  B and X must not overlap.  A step that does
  /// not reduce the componentwise error of a column is taken back.  Blocking.
  /// @param values  Values of A's lower triangle.
  /// @return the outcome for each column.  Length: number of columns of X.
  std::vector<RefineResult> refine(gpu::Queue& queue, gpu::DeviceView<const T> values,
                                   const gpu::DeviceColumns<const T>& b,
                                   const gpu::DeviceColumns<T>& x, const Solve& solve,
                                   const RefineOptions& options);

 private:
  using Columns = std::vector<Index>;

  void reserve(const gpu::Context& context, Index nrhs);
  double norm_of_a(gpu::Queue& queue);
  /// Computes R := B - A X and the backward errors of the listed columns.
  /// @param norm  Infinity norm of A.
  void measure(gpu::Queue& queue, const gpu::DeviceColumns<const T>& b,
               const gpu::DeviceColumns<T>& x, const Columns& columns, double norm,
               std::vector<BackwardError>& errors);
  gpu::DeviceView<T> column(const gpu::DeviceBuffer<T>& of, Index r) const {
    return of.part(Offset{r} * a_.n, a_.n);
  }

  gpu::Residual<T> residual_;
  gpu::Axpy<T> axpy_;
  gpu::DeviceBuffer<Offset> colptr_, rowptr_;
  gpu::DeviceBuffer<Index> rowind_, column_;
  gpu::DeviceBuffer<std::uint32_t> source_;
  gpu::DeviceSymmetric<T> a_;
  gpu::DeviceBuffer<T> magnitude_;         // |A| |x| + |b| of one column.  Length n.
  gpu::DeviceBuffer<T> r_, z_, previous_;  // R, corrections, X before the step.  n x nrhs each.
  gpu::DeviceBuffer<T> maxima_;            // Results of Residual::error_maxima().  4 x nrhs.
};

}  // namespace clchol::numeric
