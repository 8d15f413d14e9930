// Estimates the reciprocal condition number of the scaled matrix H = D^-1/2 A D^-1/2, D = diag(A).
//
// The scaling to a unit diagonal removes the effect of units and of penalty terms (large diagonal
// entries) on the condition.  The condition of H measures how far the matrix is from a singular
// one.  The norm |H^-1|_1 is estimated with a few solves, by Hager's method as refined by Higham
// [H88, Algorithm 4.1].  The estimate is a lower bound of the norm, nearly always within a factor
// of 3 of the norm.
#pragma once

#include "solver/factorization.hpp"

namespace clchol::solver {

/// @return 1 / (|H|_1 e), where e is the estimate of |H^-1|_1; 0 if this number is not finite.
/// @param f  must hold a factor and A's values.
/// Cost: 4 to 11 solves.
template <class T>
double estimate_rcond(const Analysis& analysis, const Factorization<T>& f, const Options& options);

}  // namespace clchol::solver
