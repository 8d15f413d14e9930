// Memory that the library's prediction does not include.  The prediction is for a matrix that has
// been read and for a single right-hand side.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// @return the bytes of n x nrhs doubles.
std::int64_t vector_bytes(Index n, Index nrhs);

/// @return the bytes of workspace by which a solve with nrhs right-hand sides exceeds a solve with
///         one.
std::int64_t extra_solve_bytes(const AnalysisReport& analysis, Index nrhs);

/// Throws OutOfMemory if `bytes` exceed the free memory or the limit.  For memory that the command
/// allocates outside of the solver.
/// @param limit  memory limit of the solver, in bytes; 0: none.
/// @param need   subject and verb of the message: "the model problem needs".
void check_room(std::int64_t bytes, std::int64_t limit, const char* need);

}  // namespace clchol::cli
