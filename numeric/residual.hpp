// Residuals, backward errors, norms and products with a symmetric matrix A whose lower triangle is
// stored.  |A|, |x| and |b| have the absolute values of the entries of A, x and b.
//
// Row i of A consists of row i of the strict lower triangle, which a TransposedIndex
// (base/transposed_index.hpp) finds, and of column i of the lower triangle, which by symmetry has
// row i's entries from the diagonal on.  Each row is summed by one thread, in a fixed order.
// Therefore the results have the same bits for any number of threads.
#pragma once

#include <span>

#include "base/csc.hpp"
#include "base/transposed_index.hpp"

namespace clchol::numeric {

/// Non-owning view of a symmetric matrix A.
template <class T>
struct SymmetricView {
  CscPatternView lower;  // Pattern of the lower triangle.
  // Row-by-row index of the strict lower triangle.  Must not be null in the functions below.
  const TransposedIndex* transposed = nullptr;
  const T* values = nullptr;  // Entries of A, in the order of lower.rowind.
};

/// Backward errors of one solution x of A x = b, with the residual r = b - A x.
struct BackwardError {
  // ||r|| / (||A|| ||x|| + ||b||), in infinity norms.
  double normwise = 0;
  // Maximum over all rows i of |r_i| / (|A| |x| + |b|)_i, where 0/0 counts as 0.
  double componentwise = 0;
};

/// Returns the normwise backward error r / (a x + b); 0 if r is 0.  The result is correct even if
/// the product a x exceeds the range of double.
/// @param r, a, x, b  Infinity norms of the residual, of A, of the solution and of the right-hand
///                    side.
double normwise_error(double r, double a, double x, double b);

/// Returns the length in doubles of the workspace that residuals() needs for nrhs right-hand sides.
Offset residual_workspace(Index n, Index nrhs);

/// Computes R := B - A X in double precision, and the backward errors of each column x of X.  The
/// errors of a column are infinite if the norm of A, or an entry of the column's residual or of
/// |A| |x| + |b|, exceeds the range of double.
///
/// A long row (TransposedIndex::long_rows) is summed segment by segment, where a segment is a range
/// of LongRows::segment columns.  Each segment is summed in double.  The segments' sums for R are
/// then added as if in twice the precision of double, the segments' sums for `magnitude` in double.
///
/// If `threads` or A is small, one thread makes one pass over the lower triangle for each
/// kResidualColumns right-hand sides (residual_by_columns.hpp).  Otherwise the threads compute row
/// by row (residual_rows.hpp).  The two methods give the same bits.
/// @param norm_a     Infinity norm of A.
/// @param r          Receives R.  n x b.ncol, leading dimension n.
/// @param magnitude  Receives |A| |X| + |B|.  n x b.ncol, leading dimension n.
/// @param workspace  Workspace of residual_workspace(n, b.ncol) doubles.
/// @param threads    Greatest number of threads.
/// @param errors     Receives the backward errors of each column.  Length b.ncol.
template <class T>
void residuals(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
               const DenseView<const T>& x, double* r, double* magnitude, double* workspace,
               int threads, BackwardError* errors);

/// Computes r := b - A x and magnitude := |A| |x| + |b| for one right-hand side, row by row, with
/// the same bits as residuals().  Needs no workspace, and computes the norm of A itself.  All
/// vectors have length n.
/// @return backward errors of x.
template <class T>
BackwardError residual(const SymmetricView<T>& a, const T* b, const T* x, double* r,
                       double* magnitude, int threads);

/// Returns the backward errors of x.  Infinite in the cases in which residuals() gives infinity.
/// @param norm_a     Infinity norm of A.
/// @param r          b - A x, as computed by residuals().  Length n.
/// @param magnitude  |A| |x| + |b|, as computed by residuals().  Length n.
template <class T>
BackwardError backward_error(double norm_a, const T* b, const T* x, const double* r,
                             const double* magnitude, Index n);

/// One right-hand side of compensated_residuals().  All arrays have length n.
template <class T>
struct CompensatedColumn {
  const T* b = nullptr;  // Right-hand side.
  const T* x = nullptr;  // Solution.
  // Low-order part of the solution x + tail.  |tail[j]| must be at most a rounding error of x[j].
  // Null: the tail is zero.
  const double* tail = nullptr;
  double* r = nullptr;  // Receives b - A (x + tail).
};
/// Number of right-hand sides that compensated_residuals() computes at once.
inline constexpr int kCompensatedColumns = 4;

/// Computes r := b - A (x + tail) for each column, summed as if in twice the precision of double
/// and then rounded to double [ORO05, Alg. 5.3].  A column's r does not depend on the other
/// columns. Workspace: 8 n doubles; 2 n for one column.
/// @param errors  Receives the backward errors of x + tail of each column.  Length columns.size().
/// Throws std::bad_alloc.
template <class T>
void compensated_residuals(const SymmetricView<T>& a, std::span<const CompensatedColumn<T>> columns,
                           int threads, BackwardError* errors);

/// Returns the infinity norm of S A S, which is max_i sum_j |a_ij| s_i s_j.  Here S = diag(s).
/// @param scale  The vector s, with positive entries.  Length n.  Null: S is the identity.
template <class T>
double infinity_norm(const SymmetricView<T>& a, const double* scale, int threads);

/// Computes y := A x in double precision.  x and y have length n.
template <class T>
void multiply(const SymmetricView<T>& a, const double* x, double* y, int threads);

}  // namespace clchol::numeric
