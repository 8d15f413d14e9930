// Solves with iterative refinement, and reports what the solution is worth.  [DHK06]
//
//   r = b - A x,  x := x + A^-1 r
//
// until the componentwise backward error is a few eps, or stops falling; a step that makes it worse
// is taken back.  Where few rows have a larger error they alone are corrected
// (numeric/relax_rows.hpp). Residuals are summed in double.  Where refinement stalls above a few
// eps (A is ill-conditioned and |A| |x| varies widely over the rows) it goes on with x in two parts
// and residuals summed in twice the precision [DHK06]: rounding of x and r then no longer feeds
// back. With a factor in single precision under data in double, a step may gain little where the
// condition nears 1/eps(single): corrections then come from conjugate gradients preconditioned by
// the factor.  Errors are always measured on the x that is returned.
#pragma once

#include <span>

#include "solver/factorization.hpp"

namespace clchol::solver {

/// Solves A X = B; X may be B.  f must hold a factor.  Options::solve.error_checks says whether
/// errors are taken: they cost a pass over A for each right-hand side. Workspace, kept for the next
/// solve: 6 n doubles and n entries of the factor's precision per right-hand side of a block.
/// @param values  A's lower triangle in the library's form; not read where no errors are taken.
template <class T>
SolveReport solve_refined(const Analysis& analysis, const Factorization<T>& f,
                          std::span<const T> values, const Options& options,
                          const DenseView<const T>& b, const DenseView<T>& x);

/// Says in the report's status and message whether the errors in it are what was asked for, and
/// whether the caller has cancelled.
template <class T>
void judge(const Options& options, SolveReport& report);

/// Refinement ends below this many eps of the matrix' scalar type, componentwise.
inline constexpr double kFewEps = 10;

/// Normwise backward error asked for.
template <class T>
double wanted_error(const Options& options);

}  // namespace clchol::solver
