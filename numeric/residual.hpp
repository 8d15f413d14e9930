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

/// r / (a x + b) of norms, 0 where r is 0.  The product may leave the range of double.
double normwise_error(double r, double a, double x, double b);

/// Doubles of workspace that residuals() needs.
Offset residual_workspace(Index n, Index nrhs);

/// R := B - A X, summed in double, and the backward errors of every column; infinite where R,
/// (|A| |x| + |b|) or |A| leave the range of double.  Of long rows (base/transposed_index.hpp)
/// pieces are summed in double, and the pieces as if in twice the precision.
/// @param norm_a     infinity norm of A.
/// @param r          n x B.ncol, leading dimension n.
/// @param magnitude  becomes |A| |X| + |B|, shape as r.
/// @param workspace  residual_workspace(n, B.ncol) doubles.
/// @param errors     length B.ncol.
/// On one or two threads one of them goes through the lower triangle, each entry adding to two
/// rows; on more, and on two where rows are short, each finds rows through the transposed index.
/// Every row is summed in the order of its columns either way, to the same bits.
template <class T>
void residuals(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
               const DenseView<const T>& x, double* r, double* magnitude, double* workspace,
               int threads, BackwardError* errors);

/// The same of one column, by rows, without norm and workspace.
template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r,
                       double* magnitude, int threads);

/// Backward errors of an x whose residual r and magnitude |A| |x| + |b| are at hand.
/// @param norm_a  infinity norm of A.
template <class T>
BackwardError backward_error(double norm_a, const T* b, const T* x, const double* r,
                             const double* magnitude, Index n);

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
