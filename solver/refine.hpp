// Solves A X = B with iterative refinement, and reports the backward errors of X.  [DHK06]
//
//   r = b - A x,  x := x + A^-1 r
//
// The step is repeated until the componentwise backward error is a few eps or stops falling.  A
// step that increases the error is undone.  Residuals are summed in double.  Three special cases:
//
// * Few rows have a larger error: only these rows are corrected (numeric/relax_rows.hpp).
// * Refinement stalls above a few eps, because A is ill-conditioned and |A| |x| varies widely over
//   the rows: refinement continues with x as a sum of two numbers, and residuals summed in twice
//   the precision [DHK06].  Rounding of x and r then no longer disturbs the next step.
// * The factor is in single and the data in double, and the condition is near 1/eps(single): a step
//   gains little.  Corrections are then computed by conjugate gradients preconditioned by the
//   factor (solver/conjugate_gradients.hpp).
//
// Errors are always measured on the x that is returned.
#pragma once

#include <span>

#include "solver/factorization.hpp"

namespace clchol::solver {

/// Solves A X = B; X may be B.  f must hold a factor.  Options::solve.error_checks says whether
/// errors are computed; they cost a pass over A for each right-hand side.  The workspace is kept
/// for the next solve: 6 n doubles and n entries of the factor's precision for each right-hand side
/// of a block.
/// @param values  values of A's lower triangle in the library's form; null: no errors are computed.
template <class T>
SolveReport solve_refined(const Analysis& analysis, const Factorization<T>& f,
                          std::span<const T> values, const Options& options,
                          const DenseView<const T>& b, const DenseView<T>& x);

/// Sets the report's status and message: whether the caller has cancelled, and whether the backward
/// error in the report is as small as the options ask.
template <class T>
void judge(const Options& options, SolveReport& report);

/// Refinement ends when the componentwise backward error is at most this number times eps.
inline constexpr double kFewEps = 10;

/// Normwise backward error that the options ask for.
template <class T>
double wanted_error(const Options& options);

}  // namespace clchol::solver
