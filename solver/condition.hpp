// Estimates the reciprocal condition of the scaled matrix H = D^-1/2 A D^-1/2, D = diag(A).  [H88]
//
// The scaling removes the effect of units and penalty terms.  The condition of H measures how far
// the matrix is from a singular one.  |H^-1|_1 is estimated by Hager's method as refined by Higham
// [H88, Algorithm 4.1].  The estimate is a lower bound, nearly always within a factor of 3.
#pragma once

#include "solver/factorization.hpp"

namespace clchol::solver {

/// @return 1 / (|H|_1 est(|H^-1|_1)), and 0 where this is not finite.
/// @param f  must hold a factor and A's values.
/// Cost: 4 to 11 solves.
template <class T>
double estimate_rcond(const Analysis& analysis, const Factorization<T>& f, const Options& options);

}  // namespace clchol::solver
