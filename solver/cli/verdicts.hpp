// What is said of a factorization that failed, and of a solution that is not what was asked for.
#pragma once

#include <string>

#include "solver/cli/arguments.hpp"
#include "solver/cli/record.hpp"

namespace clchol::cli {

/// Names the row, 1-based as in the file, the pivot and the diagonal entry.
std::string not_positive_definite_text(const FactorReport& report,
                                       const solver::SymmetricMatrix& a);

/// kOk, kSingular or kAccuracyNotReached with what x is worth and the usual cause.
/// @param is_written  whether x went to a file.
Verdict solution_verdict(const Record& record, const Arguments& arguments, bool is_written);

}  // namespace clchol::cli
