// The verdict of `clchol solve`: messages for a matrix that is not positive definite, and for a
// solution that is less accurate than requested.
#pragma once

#include <string>

#include "solver/cli/arguments.hpp"
#include "solver/cli/record.hpp"

namespace clchol::cli {

/// @return the message for a factorization that ended with Status::kNotPositiveDefinite.  The
///         message names the row of the bad pivot (1-based, as in the matrix file), the pivot and
///         the row's diagonal entry.
/// @param report  report of the factorization.
/// @param a       the matrix that was factored.
std::string not_positive_definite_text(const FactorReport& report,
                                       const solver::SymmetricMatrix& a);

/// @return the outcome of a run whose solve has ended: kOk, kSingular or kAccuracyNotReached.
///         Unless the outcome is kOk, the message tells the accuracy of x and the usual cause.
/// @param record      has the reports of the factorization and of the solve.
/// @param is_written  whether x was written to the file of -o.
Verdict solution_verdict(const Record& record, const Arguments& arguments, bool is_written);

}  // namespace clchol::cli
