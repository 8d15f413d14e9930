// The Matrix Market reader, for callers that have opened the text to detect its format.
#pragma once

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Does what read_symmetric_matrix() does, for an open text.  Throws std::bad_alloc instead of
/// OutOfMemory.
SymmetricMatrix read_symmetric_text(TextSource source, const ReadOptions& options);

}  // namespace clchol::solver
