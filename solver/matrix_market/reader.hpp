// The Matrix Market reader, for those who have looked at the text already.
#pragma once

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/source.hpp"

namespace clchol::solver {

/// read_symmetric_matrix() of a text; an allocation that fails throws std::bad_alloc.
SymmetricMatrix read_symmetric_text(TextSource source, const ReadOptions& options);

}  // namespace clchol::solver
