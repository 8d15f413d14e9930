// The Harwell-Boeing reader, for callers that have opened the text to detect its format.
#pragma once

#include "solver/harwell_boeing.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// Does what read_harwell_boeing() does, for an open text.  Throws std::bad_alloc instead of
/// OutOfMemory.
SymmetricMatrix read_harwell_boeing_text(TextSource source, const ReadOptions& options);

}  // namespace clchol::solver
