// Computes residuals of a few right-hand sides by one thread, in one pass over the lower triangle
// of A.  The results have the same bits as those computed row by row (residual_rows.hpp).
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Greatest number of right-hand sides in one pass over A.
inline constexpr Index kResidualColumns = 4;

/// Returns the number of doubles of workspace for each row of A.  They hold two sums for each
/// right-hand side, over the columns visited so far, and the row of X.  The two sums are the
/// row's entry of A X - B and the row's entry of |A| |X| + |B|.  For one right-hand side, x is
/// stored twice to fill a vector.  For two or more right-hand sides, the workspace always has room
/// for kResidualColumns right-hand sides.
constexpr Index residual_state(Index nrhs) { return nrhs == 1 ? 4 : 3 * kResidualColumns; }

/// Computes the results of residuals() for at most kResidualColumns right-hand sides.
///
/// Goes through the columns of the lower triangle once.  Column j contributes a_ij x_j to row i of
/// A X for each i > j, and a_ij x_i to row j of A X for each i >= j.  Thus the terms of each row
/// are added in the order of the columns of A.
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
