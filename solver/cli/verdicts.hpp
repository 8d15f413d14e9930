// Messages about a failed factorization and about a solution without the requested accuracy.
#pragma once

#include <string>

#include "solver/cli/arguments.hpp"
#include "solver/cli/record.hpp"

namespace clchol::cli {

/// @return a message with the row (1-based as in the file), the pivot and the diagonal entry.
std::string not_positive_definite_text(const FactorReport& report,
                                       const solver::SymmetricMatrix& a);

/// @return kOk, kSingular or kAccuracyNotReached, with a message on the accuracy of x and the usual
///         cause.
/// @param is_written  whether x was written to a file.
Verdict solution_verdict(const Record& record, const Arguments& arguments, bool is_written);

}  // namespace clchol::cli
