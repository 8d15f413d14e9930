// Enumerates a range of the entries of a row-major matrix row by row, for transfers that move the
// matrix in chunks: a chunk may begin and end within a row.
#pragma once

#include <algorithm>

#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol {

/// Calls visit(e, row, column, count) for each row that has entries in the range [begin, end) of a
/// row-major matrix with ncol columns, without padding; entry (i, j) has the number i * ncol + j.
/// Entries [e, e + count) of the matrix are columns [column, column + count) of `row`.  Several
/// threads visit different rows at the same time.
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
