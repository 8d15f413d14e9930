// Iterative refinement of solutions X of A X = B on a device.  A step computes the residuals
// R := B - A X, solves A Z = R for the corrections Z, and sets X := X + Z.
//
// A, R, Z and X stay on the device.  In each step, the host downloads only four numbers of each
// column: the infinity norms of the columns of R, X and B, and the componentwise backward error.
// [ADD89] defines the componentwise backward error and shows why refinement in the working
// precision makes this error small.  BackwardError (numeric/residual.hpp) has the two formulas.
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

/// When refinement ends.  The refinement of a column of X ends as soon as one of these is true:
///   - The normwise and the componentwise backward error are at most their bounds.
///   - The last step has not halved the componentwise backward error: the error after the step is
///     not less than half of the error before the step.
///   - max_steps steps are done.
struct RefineOptions {
  int max_steps = 10;            // Greatest number of steps for each column.
  double normwise = 1e-15;       // Bound on the normwise backward error.
  double componentwise = 1e-15;  // Bound on the componentwise backward error.
};

/// Outcome of the refinement of one column of X.
struct RefineResult {
  BackwardError error;  // Backward errors of the column's final value.
  int steps = 0;        // Number of steps, including a last step that was undone.
};

/// Refines solutions for matrices of one pattern.  An object owns the kernels, and the pattern and
/// the work vectors in device memory.  Not thread-safe.  All commands of one object go to one
/// in-order queue at a time: finish one queue before using another.  T: double, float.
template <class T>
class DeviceRefinement {
 public:
  /// A function that enqueues the solve Z := A^-1 R, with the factor of A.  R and Z are n x nrhs.
  using Solve =
      std::function<void(const gpu::DeviceColumns<const T>& r, const gpu::DeviceColumns<T>& z)>;

  /// Builds kernels and uploads the pattern.  Blocking.
  /// @param lower       Pattern of A's lower triangle.
  /// @param transposed  Index of `lower` by rows.
  /// Throws BuildError, DeviceError.
  DeviceRefinement(gpu::DeviceRuntime& runtime, const CscPatternView& lower,
                   const TransposedIndex& transposed);

  /// Returns the bytes of device memory of the pattern and of the work vectors for nrhs columns.
  /// @param nnz  Number of stored entries of A's lower triangle.
  static Offset bytes(Index n, Offset nnz, Index nrhs);

  /// Refines X, an approximate solution of A X = B.  When a step does not reduce the componentwise
  /// backward error of a column, the step is undone: the column gets back its value from before the
  /// step.  Allocates work vectors when X has more columns than in earlier calls.  Blocking.
  /// @param values  Values of A's lower triangle, in the order of the pattern.
  /// @param b, x    B and X: n rows each, and the same number of columns.  The memory of B and the
  ///                memory of X must not overlap.
  /// @param solve   Called once for each step, with all columns.
  /// @return the outcome for each column.  Length: number of columns of X.
  /// Throws DeviceError, and the exceptions of `solve`.
  std::vector<RefineResult> refine(gpu::Queue& queue, gpu::DeviceView<const T> values,
                                   const gpu::DeviceColumns<const T>& b,
                                   const gpu::DeviceColumns<T>& x, const Solve& solve,
                                   const RefineOptions& options);

 private:
  using Columns = std::vector<Index>;

  void reserve(const gpu::Context& context, Index nrhs);
  double norm_of_a(gpu::Queue& queue);
  /// Computes R := B - A X and the backward errors, only for the columns of X listed in `columns`.
  /// @param norm    Infinity norm of A.
  /// @param errors  errors[c] receives the errors of column c.  Length: number of columns of X.
  void measure(gpu::Queue& queue, const gpu::DeviceColumns<const T>& b,
               const gpu::DeviceColumns<T>& x, const Columns& columns, double norm,
               std::vector<BackwardError>& errors);
  /// Returns column r of `of`, an n x nrhs matrix, column-major with leading dimension n.
  gpu::DeviceView<T> column(const gpu::DeviceBuffer<T>& of, Index r) const {
    return of.part(Offset{r} * a_.n, a_.n);
  }

  gpu::Residual<T> residual_;
  gpu::Axpy<T> axpy_;
  // The pattern of A: arrays that a_ has views of.
  gpu::DeviceBuffer<Offset> colptr_, rowptr_;
  gpu::DeviceBuffer<Index> rowind_, column_;
  gpu::DeviceBuffer<std::uint32_t> source_;
  gpu::DeviceSymmetric<T> a_;
  gpu::DeviceBuffer<T> magnitude_;  // |A| |x| + |b| of one column of X and B.  Length n.
  gpu::DeviceBuffer<T> r_,          // R: n x nrhs, column-major.
      z_,                           // Z: n x nrhs, column-major.
      previous_;                    // X before the current step: n x nrhs, column-major.
  gpu::DeviceBuffer<T> maxima_;  // Results of Residual::error_maxima(): 4 numbers of each column.
};

}  // namespace clchol::numeric
