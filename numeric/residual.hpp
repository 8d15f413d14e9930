// Products with A from its lower triangle: residuals, backward errors, norms.
//
// Row i of A is column i of the lower triangle (entries on and below the diagonal) and row i of it
// (entries before the diagonal), reached through a transposed index.  Every row is summed by one
// thread in a fixed order: the digits do not depend on the number of threads.
#pragma once

#include "base/csc.hpp"
#include "base/transposed_index.hpp"

namespace clchol::numeric {

/// A symmetric matrix for products; not owned.
template <class T>
struct SymmetricView {
  CscPatternView lower;
  const TransposedIndex* transposed = nullptr;
  const T* values = nullptr;  // Of the lower triangle.
};

/// Backward errors of one solution.
struct BackwardError {
  double normwise = 0;       // |r| / (|A| |x| + |b|), infinity norms.
  double componentwise = 0;  // max_i |r_i| / (|A| |x| + |b|)_i, 0/0 counted as 0.
};

/// Row i of b - A x, and of |A| |x| + |b|.
struct RowSums {
  double residual;
  double magnitude;
};

/// r / (a x + b) of norms, 0 where r is 0.  The product may leave the range of double.
double normwise_error(double r, double a, double x, double b);

/// r := b - A x, summed in double, and its backward errors; infinite where r, (|A| |x| + |b|) or
/// |A| leave the range of double.
/// @param norm_a  infinity norm of A.
/// @param sums    workspace, length n.
/// On a few threads one of them goes through the lower triangle once, each entry adding to two
/// rows: that is as fast as two threads that find rows through the transposed index.  Every row is
/// summed in the order of its columns either way, to the same bits.
template <class T>
BackwardError residual(const SymmetricView<T>& a, double norm_a, const T* b, const T* x, double* r,
                       RowSums* sums, int threads);

/// The same by rows, without norm and workspace.
template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r, int threads);

/// r := b - A (x + tail), summed as if in twice the precision of double and then rounded
/// [ORO05, Alg. 5.3], and the backward errors of x + tail.
/// @param tail  low-order part of x, length n; null: zero.
template <class T>
BackwardError compensated_residual(const SymmetricView<T>& a, const T* b, const T* x,
                                   const double* tail, double* r, int threads);

/// max_i sum_j |a_ij| s_i s_j; scale may be null (all ones).
template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads);

/// y := A x in double.
template <class T>
void multiply(const SymmetricView<T>& a, const double* x, double* y, int threads);

}  // namespace clchol::numeric
