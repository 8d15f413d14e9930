// Memory of a run that the library's prediction (AnalysisReport) does not include: right-hand sides
// and solutions, and the workspace of solves beyond one right-hand side.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// @return the bytes of n x nrhs numbers of type double.
std::int64_t vector_bytes(Index n, Index nrhs);

/// @return how many bytes of workspace a solve with nrhs right-hand sides takes more than a solve
///         with one right-hand side.
std::int64_t extra_solve_bytes(const AnalysisReport& analysis, Index nrhs);

/// Checks whether there is room for `bytes` bytes that the command will allocate outside of the
/// solver.  Throws OutOfMemory if `bytes` exceeds the free memory or `limit`.
/// @param limit  host memory limit of the solver, in bytes; 0: no limit.
/// @param need   begin of the message of the exception, for example "the model problem needs".
void check_room(std::int64_t bytes, std::int64_t limit, const char* need);

}  // namespace clchol::cli
