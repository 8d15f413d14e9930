// Entries and flops of a Cholesky factor, counted while an ordering method eliminates pivots.
#pragma once

#include "base/types.hpp"

namespace clchol::ordering {

struct FillCounts {
  double nnz_l = 0;  // Sum of the column counts, diagonal included.
  double flops = 0;  // Sum of the squares of the column counts.

  /// Adds `width` columns that are eliminated at once, with `below` common rows below the last of
  /// them: their column counts are below + width, ..., below + 1.
  void add_columns(Index width, Index below) {
    const double w = width, d = below;
    nnz_l += w * (w + 1) / 2 + w * d;
    // Sum of (d + k)^2 over k = 1 .. w.
    flops += w * d * d + d * w * (w + 1) + w * (w + 1) * (2 * w + 1) / 6;
  }
};

}  // namespace clchol::ordering
