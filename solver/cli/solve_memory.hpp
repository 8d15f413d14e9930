// Bytes that right-hand sides take beyond the library's prediction, which is for a single one.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// n x nrhs doubles.
std::int64_t vector_bytes(Index n, Index nrhs);

/// Workspace of a solve with nrhs right-hand sides beyond that of a solve with one.
std::int64_t extra_solve_bytes(const AnalysisReport& analysis, Index nrhs);

/// Throws OutOfMemory when `bytes` more exceed the limit, or what is free where limit is 0.
void check_room(std::int64_t bytes, std::int64_t limit);

}  // namespace clchol::cli
