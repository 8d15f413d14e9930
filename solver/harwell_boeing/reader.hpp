// The Harwell-Boeing reader, for those who have looked at the text already.
#pragma once

#include "solver/harwell_boeing.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// read_harwell_boeing() of a text; an allocation that fails throws std::bad_alloc.
SymmetricMatrix read_harwell_boeing_text(TextSource source, const ReadOptions& options);

}  // namespace clchol::solver
