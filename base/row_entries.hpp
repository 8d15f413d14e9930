// Entries of a matrix by rows, piece by piece: for transfers that take a matrix in pieces.
#pragma once

#include <algorithm>

#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol {

/// visit(e, row, column) for entries [begin, end) of a matrix of rows of ncol entries; rows side by
/// side.
template <class Visit>
void for_row_entries(Offset begin, Offset end, Index ncol, int threads, const Visit& visit) {
  const Offset first_row = begin / ncol, end_row = (end + ncol - 1) / ncol;
  parallel_for(end_row - first_row, threads, [&](Offset k) {
    const Offset row = first_row + k;
    const Offset first = std::max(begin, row * ncol), last = std::min(end, (row + 1) * ncol);
    for (Offset e = first; e < last; ++e) {
      visit(e, static_cast<Index>(row), static_cast<Index>(e - row * ncol));
    }
  });
}

}  // namespace clchol
