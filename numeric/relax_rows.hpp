// Improves a solution x of A x = b where the residual r = b - A x is too large in a few rows.
//
// If the factorization has a small backward error, the error |r_i| / (|A| |x| + |b|)_i of row i is
// a few eps in nearly all rows.  It may be larger where b_i and the entries of x in equation i are
// small beside the other entries of b and x.  Such a row is *relaxed*: equation i is solved for
// x_i,
//
//   x_i := x_i + r_i / a_ii.
//
// If this makes the error of rows j with a_ij != 0 too large, those rows are relaxed next.  The
// method is Gauss-Seidel relaxation of a few rows.  It costs less than a step of iterative
// refinement, which solves with all of L.
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Relaxes rows of x until |r_i| <= bound (|A| |x| + |b|)_i in every row i.  Gives up when too many
/// rows exceed the bound; then x, r and magnitude are the same after the call as before.
/// @param x          Solution; its entries must be finite.  Updated.  Length n.
/// @param r          b - A x, as computed by residuals().  Updated.  Length n.
/// @param magnitude  |A| |x| + |b|, as computed by residuals().  Updated.  Length n.
/// @return true if the bound holds in every row; false if the function has given up.
/// Throws std::bad_alloc.  Cost: one pass over r and magnitude, and at most little more than 1/16
/// of a pass over A.
template <class T>
bool relax_rows(const SymmetricView<T>& a, const T* b, T* x, double* r, double* magnitude,
                double bound);

}  // namespace clchol::numeric
