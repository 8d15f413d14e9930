// Solves A X = B with iterative refinement, and reports the backward errors of X.  [DHK06]
//
//   r = b - A x,  x := x + A^-1 r
//
// A^-1 r is computed with the factor L.  The step is repeated until the componentwise backward
// error is a few eps or stops falling; eps is that of the precision that the options ask for.  A
// step that does not reduce the error is undone.  Residuals are summed in double.  There are three
// special cases:
//
// * The error is larger than a few eps in few rows only: only these rows of x are corrected, and
//   nothing is solved (numeric/relax_rows.hpp).
// * Refinement stalls above a few eps, because A is ill-conditioned and |A| |x| varies widely over
//   the rows: refinement continues with each entry of x kept as the sum of two numbers, and with
//   residuals summed in twice the precision of double [DHK06].  Rounding of x and r then no longer
//   disturbs the next step.
// * The factor is in single and the data in double, and the condition is near 1/eps(single): a step
//   gains little.  Corrections are then computed by conjugate gradients preconditioned by the
//   factor (solver/conjugate_gradients.hpp).
//
// The reported errors are those of the x that is returned.
#pragma once

#include <span>

#include "solver/factorization.hpp"

namespace clchol::solver {

/// Solves A X = B; X may be B.  f must hold a factor.  Right-hand sides are solved for in blocks of
/// at most 32.  Options::solve.error_checks says whether errors are computed; they cost a pass over
/// A for each right-hand side.  The workspace stays allocated for the next solve: 6 n doubles and n
/// entries of the factor's precision for each right-hand side of a block.
/// @param values  values of A's lower triangle, in the order of analysis.map.lower; empty: A's
///                values are not known, and no errors are computed.
template <class T>
SolveReport solve_refined(const Analysis& analysis, const Factorization<T>& f,
                          std::span<const T> values, const Options& options,
                          const DenseView<const T>& b, const DenseView<T>& x);

/// Sets report.status and report.message: to kInterrupted if the caller has cancelled, otherwise to
/// kAccuracyNotReached if report.backward_error is larger than wanted_error().  Otherwise leaves
/// the report as it is.
template <class T>
void judge(const Options& options, SolveReport& report);

/// The "few eps" of the text above: refinement ends when the componentwise backward error is at
/// most kFewEps * eps and the normwise backward error is at most wanted_error().
inline constexpr double kFewEps = 10;

/// The greatest normwise backward error that the options accept: Options::solve.tolerance, or the
/// default for the precision when this is 0.
template <class T>
double wanted_error(const Options& options);

}  // namespace clchol::solver
