// Computes residuals of a few right-hand sides by one thread, in one pass over the lower triangle
// of A.  The results have the same bits as those computed row by row (residual_rows.hpp).
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Greatest number of right-hand sides in one pass over A.
inline constexpr Index kResidualColumns = 4;

/// Returns the number of doubles of workspace for each row i of A.  Row i's workspace holds three
/// numbers for each right-hand side: the entries of A X - B and of |A| |X| + |B| in row i, summed
/// over the columns visited so far; and the entry of X in row i.  For one right-hand side, the
/// entry of X is stored twice to fill a SIMD vector of two numbers.  For two or more right-hand
/// sides, the workspace always has room for kResidualColumns right-hand sides.
constexpr Index residual_state(Index nrhs) { return nrhs == 1 ? 4 : 3 * kResidualColumns; }

/// Computes the results of residuals().  b must have at most kResidualColumns columns.
///
/// Goes through the columns of the lower triangle once, in ascending order.  For each entry a_ij of
/// column j, a_ij x_j is added to row i of A X if i > j, and a_ij x_i is added to row j of A X.
/// Thus the terms of each row of A X are added in ascending order of A's columns.
/// @param norm_a     Infinity norm of A.
/// @param r          Receives B - A X.  n x b.ncol, leading dimension n.
/// @param magnitude  Receives |A| |X| + |B|.  n x b.ncol, leading dimension n.
/// @param state      Workspace of n * residual_state(b.ncol) doubles.
/// @param errors     Receives the backward errors of each column.  Length b.ncol.
template <class T>
void residuals_by_columns(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
                          const DenseView<const T>& x, double* r, double* magnitude, double* state,
                          BackwardError* errors);

}  // namespace clchol::numeric
