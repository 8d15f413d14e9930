// Residuals, backward errors, norms and products with a symmetric matrix A whose lower triangle is
// stored.  |A|, |x| and |b| have the absolute values of the entries of A, x and b.
//
// Row i of A consists of row i of the strict lower triangle, which a transposed index finds, and of
// column i of the lower triangle, which has the diagonal entry and the entries right of it.  Each
// row is summed by one thread, in a fixed order.  Therefore the results have the same bits for any
// number of threads.
#pragma once

#include "base/csc.hpp"
#include "base/transposed_index.hpp"

namespace clchol::numeric {

/// Non-owning view of a symmetric matrix.
template <class T>
struct SymmetricView {
  CscPatternView lower;                         // Pattern of the lower triangle.
  const TransposedIndex* transposed = nullptr;  // Index by rows of the strict lower triangle.
  const T* values = nullptr;                    // Entries of the lower triangle, as in `lower`.
};

/// Backward errors of one solution x of A x = b, with residual r.
struct BackwardError {
  // ||r|| / (||A|| ||x|| + ||b||), in infinity norms.
  double normwise = 0;
  // max_i |r_i| / (|A| |x| + |b|)_i, where 0/0 counts as 0.
  double componentwise = 0;
};

/// Returns the normwise backward error r / (a x + b) for the norms r of the residual, a of A, x of
/// the solution and b of the right-hand side; 0 if r is 0.  The result is correct even if the
/// product a x exceeds the range of double.
double normwise_error(double r, double a, double x, double b);

/// Length of the workspace that residuals() needs for nrhs right-hand sides, in doubles.
Offset residual_workspace(Index n, Index nrhs);

/// Computes R := B - A X in double precision, and the backward errors of every column.  The errors
/// of a column are infinite if an entry of the column's residual or of |A| |x| + |b|, or the norm
/// of A, exceeds the range of double.
///
/// A long row (TransposedIndex::long_rows) is summed in blocks of columns: each block in double,
/// then the sums of the blocks as if in twice the precision of double.
///
/// If `threads` or A is small, one thread makes a pass over the lower triangle for every few
/// right-hand sides (residual_by_columns.hpp).  Otherwise the threads compute rows through the
/// transposed index.  Both methods give the same bits.
/// @param norm_a     Infinity norm of A.
/// @param r          Receives R.  n x b.ncol, leading dimension n.
/// @param magnitude  Receives |A| |X| + |B|.  n x b.ncol, leading dimension n.
/// @param workspace  residual_workspace(n, b.ncol) doubles.
/// @param errors     Receives the backward errors of each column.  Length b.ncol.
template <class T>
void residuals(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
               const DenseView<const T>& x, double* r, double* magnitude, double* workspace,
               int threads, BackwardError* errors);

/// As residuals(), but for one right-hand side, and without workspace: computes r := b - A x,
/// magnitude := |A| |x| + |b| and the norm of A, row by row.  Vectors of length n.
/// @return backward errors of x.
template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r,
                       double* magnitude, int threads);

/// Returns the backward errors of x from vectors that residuals() has computed.
/// @param norm_a     Infinity norm of A.
/// @param r          b - A x.
/// @param magnitude  |A| |x| + |b|.
template <class T>
BackwardError backward_error(double norm_a, const T* b, const T* x, const double* r,
                             const double* magnitude, Index n);

/// Computes r := b - A (x + tail), summed as if in twice the precision of double and then rounded
/// to double [ORO05, Alg. 5.3].
/// @param tail  Low-order part of the solution x + tail.  Length n.  Null: zero.
/// @return backward errors of x + tail.
template <class T>
BackwardError compensated_residual(const SymmetricView<T>& a, const T* b, const T* x,
                                   const double* tail, double* r, int threads);

/// Returns the infinity norm of S A S, max_i sum_j |a_ij| s_i s_j, where S = diag(s).
/// @param scale  s, with positive entries.  Length n.  Null: no scaling.
template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads);

/// Computes y := A x in double precision.
template <class T>
void multiply(const SymmetricView<T>& a, const double* x, double* y, int threads);

}  // namespace clchol::numeric
