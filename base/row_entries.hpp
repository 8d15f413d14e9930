// A matrix by rows, piece by piece: for transfers that take its entries in pieces.
#pragma once

#include <algorithm>

#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol {

/// visit(e, row, column, count) for parts of rows that make up entries [begin, end) of a matrix of
/// rows of ncol entries: entries [e, e + count) are row's from `column` on.  Rows side by side.
template <class Visit>
void for_row_parts(Offset begin, Offset end, Index ncol, int threads, const Visit& visit) {
  const Offset first_row = begin / ncol, end_row = (end + ncol - 1) / ncol;
  parallel_for(end_row - first_row, threads, [&](Offset k) {
    const Offset row = first_row + k;
    const Offset first = std::max(begin, row * ncol), last = std::min(end, (row + 1) * ncol);
    visit(first, static_cast<Index>(row), static_cast<Index>(first - row * ncol),
          static_cast<Index>(last - first));
  });
}

}  // namespace clchol
