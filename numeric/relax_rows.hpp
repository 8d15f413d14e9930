// Improves a solution x of A x = b where the residual r = b - A x is too large in a few rows.
//
// The componentwise error of row i is |r_i| / (|A| |x| + |b|)_i, where |A|, |x| and |b| have the
// absolute values of the entries.  If the factorization has a small backward error, this error is a
// few units of roundoff in nearly all rows.  The error may be larger in a row i where b_i and all
// x_j with a_ij != 0 are small beside the other entries of b and x.  Such a row is *relaxed*:
// equation i is solved for x_i,
//
//   x_i := x_i + r_i / a_ii.
//
// The new x_i changes the residuals of all rows j with a_ij != 0.  Rows whose error has become too
// large by this change are relaxed next.  The method is Gauss-Seidel relaxation of a few rows.  It
// costs less than a step of iterative refinement, which solves with all of L.
#pragma once

#include "numeric/residual.hpp"

namespace clchol::numeric {

/// Relaxes rows of x in sweeps until |r_i| <= bound * (|A| |x| + |b|)_i in every row i.  A sweep
/// relaxes the rows that exceed the bound, and then computes r and magnitude of all rows that these
/// changes of x affect.  Let k be the number of rows that exceed the bound before the first sweep.
/// Gives up in three cases:
/// - The first sweep would read more than about 1/16 of A's entries.
/// - After a sweep, more than k + 2 rows exceed the bound.
/// - After a sweep, some rows exceed the bound, and all sweeps together have read more than about
///   1/16 of A's entries.
/// If the function gives up, x, r and magnitude are the same after the call as before.
/// @param x          Solution, with finite entries.  Updated.  Length n.
/// @param r          b - A x, as computed by residuals().  Updated.  Length n.
/// @param magnitude  |A| |x| + |b|, as computed by residuals().  Updated.  Length n.
/// @param bound      Greatest error allowed in a row.
/// @return true if the bound holds in every row; false if the function has given up.
/// Throws std::bad_alloc.  Cost: at most one pass over r and magnitude, and the sweeps; no sweep
/// begins after about 1/16 of A's entries have been read.  Giving up after a sweep reads the
/// affected rows of A once more.
template <class T>
bool relax_rows(const SymmetricView<T>& a, const T* b, T* x, double* r, double* magnitude,
                double bound);

}  // namespace clchol::numeric
