// The Harwell-Boeing reader, for callers that have opened the text to detect its format.
#pragma once

#include "solver/harwell_boeing.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// read_harwell_boeing() for an open text; throws std::bad_alloc instead of OutOfMemory.
SymmetricMatrix read_harwell_boeing_text(TextSource source, const ReadOptions& options);

}  // namespace clchol::solver
