// Bytes that the library's prediction does not count, which is for a matrix that is there and a
// single right-hand side.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// n x nrhs doubles.
std::int64_t vector_bytes(Index n, Index nrhs);

/// Workspace of a solve with nrhs right-hand sides beyond that of a solve with one.
std::int64_t extra_solve_bytes(const AnalysisReport& analysis, Index nrhs);

/// Throws OutOfMemory when `bytes` that are not the solver's exceed what is free, or the limit that
/// the solver has, where it is not 0.
/// @param need  who needs them, for the message: "the model problem needs".
void check_room(std::int64_t bytes, std::int64_t limit, const char* need);

}  // namespace clchol::cli
