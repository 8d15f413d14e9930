// Solves with iterative refinement, and reports what the solution is worth.  [D06; H02, Ch. 12]
//
//   r = b - A x (in double),  x := x + A^-1 r
//
// until the componentwise backward error is a few eps, or stops falling.  A step that makes it worse is
// taken back.  With a factor in single precision under data in double, refinement may stall where
// the condition exceeds 1/eps(single): then conjugate gradients preconditioned by the factor go on.
#pragma once

#include "solver/factorization.hpp"

namespace clchol::solver {

/// Solves A X = B; X may be B.  f must hold a factor.
/// Workspace: 3 n doubles and n entries of the factor's precision per right-hand side of a block.
template <class T>
SolveReport solve_refined(const Analysis& analysis, const Factorization<T>& f,
                          const Options& options, const DenseView<const T>& b,
                          const DenseView<T>& x);

/// Normwise backward error asked for.
template <class T>
double wanted_error(const Options& options);

}  // namespace clchol::solver
