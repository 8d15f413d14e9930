// Residuals of several right-hand sides in one pass over A's lower triangle, by one thread.
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Most right-hand sides of one pass over A.
inline constexpr Index kResidualColumns = 4;

/// Doubles of a pass's state per row of A: the sums of residual and magnitude so far, and x.
constexpr Index residual_state(Index nrhs) { return nrhs == 1 ? 4 : 3 * kResidualColumns; }

/// Computes the results of residuals() for up to kResidualColumns right-hand sides.  The pass goes
/// through the columns of the lower triangle.  Row i receives the products of columns before i when
/// the pass comes to those columns, and the other products when it comes to column i.
/// @param norm_a     Infinity norm of A.
/// @param r          Receives B - A X, n x B.ncol, leading dimension n.
/// @param magnitude  Receives |A| |X| + |B|, shape as r.
/// @param state      Workspace of n residual_state(B.ncol) doubles.
/// @param errors     Receives the backward errors.  Length B.ncol.
template <class T>
void residuals_by_columns(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
                          const DenseView<const T>& x, double* r, double* magnitude, double* state,
                          BackwardError* errors);

}  // namespace clchol::numeric
