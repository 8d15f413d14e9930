// Iterative refinement on a device: residuals, norms and corrections stay there, and a few numbers
// for each step come back.  [ADD89] has the componentwise error and why refinement in the working
// precision makes it small.
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

/// Refinement of a right-hand side ends when both errors are as small, when the componentwise one
/// does not halve, or after so many steps.
struct RefineOptions {
  int max_steps = 10;
  double normwise = 1e-15;
  double componentwise = 1e-15;
};

/// Of one right-hand side.
struct RefineResult {
  BackwardError error;
  int steps = 0;
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class DeviceRefinement {
 public:
  /// z := A^-1 r, enqueued.
  using Solve =
      std::function<void(const gpu::DeviceColumns<const T>& r, const gpu::DeviceColumns<T>& z)>;

  /// Builds kernels and uploads the pattern; blocking.  Throws BuildError, DeviceError.
  DeviceRefinement(gpu::DeviceRuntime& runtime, const CscPatternView& lower,
                   const TransposedIndex& transposed);

  /// What it takes of the device's memory for so many right-hand sides at once.
  /// @param nnz  of the lower triangle.
  static Offset bytes(Index n, Offset nnz, Index nrhs);

  /// Refines X, which solves A X = B but for errors; B and X do not overlap.  A step that makes the
  /// componentwise error of a solution larger is taken back.  Blocking.
  /// @param values  of A's lower triangle.
  std::vector<RefineResult> refine(gpu::Queue& queue, gpu::DeviceView<const T> values,
                                   const gpu::DeviceColumns<const T>& b,
                                   const gpu::DeviceColumns<T>& x, const Solve& solve,
                                   const RefineOptions& options);

 private:
  using Columns = std::vector<Index>;

  void reserve(const gpu::Context& context, Index nrhs);
  double norm_of_a(gpu::Queue& queue);
  /// R := B - A X and the errors, of some columns.
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
  gpu::DeviceBuffer<T> magnitude_;         // n
  gpu::DeviceBuffer<T> r_, z_, previous_;  // n x nrhs
  gpu::DeviceBuffer<T> maxima_;            // 4 x nrhs
};

}  // namespace clchol::numeric
