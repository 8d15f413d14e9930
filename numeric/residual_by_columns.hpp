// Residuals of several right-hand sides in one pass over A's lower triangle, on one thread.
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Right-hand sides that one pass over A serves.
inline constexpr Index kResidualColumns = 4;

/// Doubles for each row of A that a pass needs: residual and magnitude so far, and x.
constexpr Index residual_state(Index nrhs) { return nrhs == 1 ? 4 : 3 * kResidualColumns; }

/// residuals() of up to kResidualColumns right-hand sides: row i gets the products of columns
/// before i while the pass goes through them, then those of its own column.
/// @param norm_a     infinity norm of A.
/// @param r          n x B.ncol, leading dimension n.
/// @param magnitude  becomes |A| |X| + |B|, shape as r.
/// @param state      n residual_state(B.ncol) doubles.
/// @param errors     length B.ncol.
template <class T>
void residuals_by_columns(const SymmetricView<T>& a, double norm_a, const DenseView<const T>& b,
                          const DenseView<const T>& x, double* r, double* magnitude, double* state,
                          BackwardError* errors);

}  // namespace clchol::numeric
