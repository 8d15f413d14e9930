// Corrects a solution in the few rows whose residual is large for their size.
//
// A factorization with a small backward error leaves a solution whose componentwise error is a few
// eps in nearly all rows; where b_i and the entries of x that row i meets are small beside the
// rest, it may be more.  In such a row the equation is solved for its own unknown,
//
//   x_i := x_i + r_i / a_ii,
//
// and where this spoils neighbours, these follow: Gauss-Seidel relaxation of some rows, in place of
// a step of refinement, which solves with all of L.
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Relaxes rows of x until |r_i| <= bound (|A| |x| + |b|)_i in every row i.  Gives up where many
/// rows are above the bound, or become so: then x, r and magnitude stay as they were.
/// @param x          length n, finite.
/// @param r          b - A x, as residuals() has left it; stays so.  Length n.
/// @param magnitude  |A| |x| + |b|, likewise.
/// @return whether all rows are within the bound.
/// Cost: a pass over r and magnitude, and little more than a sixteenth of a pass over A.  Throws
/// std::bad_alloc.
template <class T>
bool relax_rows(const SymmetricView<T>& a, const T* b, T* x, double* r, double* magnitude,
                double bound);

}  // namespace clchol::numeric
