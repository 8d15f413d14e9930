// Corrects a solution of A x = b in the few rows whose residual is large for their size.
//
// A factorization with a small backward error gives a solution whose componentwise error is a few
// eps in nearly all rows.  It may be larger in row i where b_i and the entries of x in equation i
// are small beside the other entries.  There, equation i is solved for its own unknown,
//
//   x_i := x_i + r_i / a_ii.
//
// Where this makes the residuals of neighbouring rows too large, those rows are relaxed next.  The
// method is Gauss-Seidel relaxation of some rows.  It replaces a step of iterative refinement,
// which solves with all of L.
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Relaxes rows of x until |r_i| <= bound (|A| |x| + |b|)_i in every row i.  Gives up where many
/// rows are above the bound at the start or later; x, r and magnitude are then as before the call.
/// @param x          Solution, finite.  Length n.
/// @param r          b - A x, as residuals() computed it; kept up to date.  Length n.
/// @param magnitude  |A| |x| + |b|, as residuals() computed it; kept up to date.  Length n.
/// @return whether all rows are within the bound.
/// Cost: one pass over r and magnitude, and little more than 1/16 of a pass over A.  Throws
/// std::bad_alloc.
template <class T>
bool relax_rows(const SymmetricView<T>& a, const T* b, T* x, double* r, double* magnitude,
                double bound);

}  // namespace clchol::numeric
