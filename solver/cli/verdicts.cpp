#include "solver/cli/verdicts.hpp"

#include <limits>

#include "base/number_text.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

std::string number(double value) { return general_text(value, 6); }

bool has_diagonal(const solver::SymmetricMatrix& a, Index row) {
  const Offset p = a.lower.colptr[row];
  return p < a.lower.colptr[row + 1] && a.lower.rowind[p] == row;
}

/// @return the end of the message: whether x was written.
std::string whereabouts(const Arguments& arguments, bool is_written) {
  if (is_written) return "; x is written to " + arguments.solution;
  return arguments.solution.empty() ? "" : "; x has overflowed and is not written";
}

std::string singular_text(const Record& r) {
  const std::optional<double>& error = r.solution->backward_error;
  return "singular to working precision: the reciprocal condition of the scaled matrix is " +
         small_text(r.factor->rcond.value_or(0)) + "; x solves the system" +
         (error ? " with a backward error of " + small_text(*error) : "") +
         " but is arbitrary along what the matrix nearly annuls; usual cause: a body without "
         "supports, a pure Neumann problem";
}

/// @return the likely reason why refinement did not reach the tolerance.
std::string usual_cause(double error, const Arguments& arguments) {
  if (!(error <= std::numeric_limits<double>::max())) {
    return "numbers beyond the range of double";
  }
  if (arguments.refine_steps == 0) return "refinement is switched off";
  if (error <= std::numeric_limits<double>::epsilon()) {
    return "a tolerance below the rounding error of double precision, about 1e-16";
  }
  if (arguments.precision != "double") {
    return "a condition beyond single precision; try --precision double";
  }
  return "an ill-conditioned matrix, or entries of very different size";
}

std::string accuracy_text(const Record& r, const Arguments& arguments) {
  const double error = r.solution->backward_error.value_or(0);
  const double asked = arguments.tolerance > 0           ? arguments.tolerance
                       : arguments.precision == "single" ? 1e-6
                                                         : 1e-15;
  return "accuracy not reached: the backward error of x, the best found, is " + small_text(error) +
         " where " + small_text(asked) +
         " was asked for; usual cause: " + usual_cause(error, arguments);
}

}  // namespace

std::string not_positive_definite_text(const FactorReport& report,
                                       const solver::SymmetricMatrix& a) {
  const std::string row = std::to_string(Offset{report.row} + 1);
  const std::string what = "not positive definite: ";
  if (!has_diagonal(a, report.row)) return what + "row " + row + " has no diagonal entry";
  if (!(report.diagonal > 0)) {
    return what + "row " + row + " has the diagonal entry " + number(report.diagonal);
  }
  return what + "the pivot of row " + row + " is " + number(report.pivot) +
         ", its diagonal entry " + number(report.diagonal);
}

Verdict solution_verdict(const Record& record, const Arguments& arguments, bool is_written) {
  const std::string where = whereabouts(arguments, is_written);
  if (record.factor->status == Status::kSingular) {
    return {Outcome::kSingular, singular_text(record) + where};
  }
  if (record.solution->status == Status::kAccuracyNotReached) {
    return {Outcome::kAccuracyNotReached, accuracy_text(record, arguments) + where};
  }
  return {};
}

}  // namespace clchol::cli
