// Products with a symmetric matrix A whose lower triangle is stored: residuals, backward errors and
// norms.
//
// Row i of A is row i of the strict lower triangle (entries before the diagonal), found through a
// transposed index, and column i of the lower triangle (the diagonal and the entries after it).
// One thread sums each row, in a fixed order.  The results have the same bits for any number of
// threads.
#pragma once

#include "base/csc.hpp"
#include "base/transposed_index.hpp"

namespace clchol::numeric {

/// Non-owning view of a symmetric matrix.
template <class T>
struct SymmetricView {
  CscPatternView lower;
  const TransposedIndex* transposed = nullptr;
  const T* values = nullptr;  // Values of the lower triangle, in the order of `lower`.
};

/// Backward errors of one solution.
struct BackwardError {
  double normwise = 0;       // |r| / (|A| |x| + |b|), infinity norms.
  double componentwise = 0;  // max_i |r_i| / (|A| |x| + |b|)_i, 0/0 counted as 0.
};

/// Normwise backward error r / (a x + b) from norms of the residual, A, x and b; 0 where r is 0.
/// The product a x may exceed the range of double.
double normwise_error(double r, double a, double x, double b);

/// Length of the workspace of residuals(), in doubles.
Offset residual_workspace(Index n, Index nrhs);

/// R := B - A X, summed in double, and the backward errors of every column.  The errors are
/// infinite where R, (|A| |x| + |b|) or |A| exceeds the range of double.  A long row
/// (base/transposed_index.hpp) is summed in blocks of columns: each block in double, then the sums
/// of the blocks as if in twice the precision.
/// @param norm_a     Infinity norm of A.
/// @param r          Receives R, n x B.ncol, leading dimension n.
/// @param magnitude  Receives |A| |X| + |B|, shape as r.
/// @param workspace  residual_workspace(n, B.ncol) doubles.
/// @param errors     Receives the backward errors.  Length B.ncol.
/// With one thread, or with two where rows are long, one thread makes a pass over the lower
/// triangle, in which each entry adds to two rows.  Otherwise the threads compute rows through the
/// transposed index.  Every row is summed in the order of its columns in either case, to the same
/// bits.
template <class T>
void residuals(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
               const DenseView<const T>& x, double* r, double* magnitude, double* workspace,
               int threads, BackwardError* errors);

/// R := B - A X and its backward errors for one column, row by row, without a norm of A and without
/// workspace.
template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r,
                       double* magnitude, int threads);

/// Backward errors of x, given its residual r and magnitude |A| |x| + |b|.
/// @param norm_a  Infinity norm of A.
template <class T>
BackwardError backward_error(double norm_a, const T* b, const T* x, const double* r,
                             const double* magnitude, Index n);

/// r := b - A (x + tail), summed as if in twice the precision of double and then rounded
/// [ORO05, Alg. 5.3].
/// @param tail  Low-order part of x.  Length n; null: zero.
/// @return backward errors of x + tail.
template <class T>
BackwardError compensated_residual(const SymmetricView<T>& a, const T* b, const T* x,
                                   const double* tail, double* r, int threads);

/// max_i sum_j |a_ij| s_i s_j, with s = scale; null: all ones.
template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads);

/// y := A x in double.
template <class T>
void multiply(const SymmetricView<T>& a, const double* x, double* y, int threads);

}  // namespace clchol::numeric
