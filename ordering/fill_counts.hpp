// What a factor in some order holds and costs.
#pragma once

#include "base/types.hpp"

namespace clchol::ordering {

struct FillCounts {
  double nnz_l = 0;  // Sum of the column counts, diagonal included.
  double flops = 0;  // Sum of their squares.

  /// Adds `width` columns with the same rows below them:
  /// column counts below + width, ..., below + 1.
  void add_columns(Index width, Index below) {
    const double w = width, d = below;
    nnz_l += w * (w + 1) / 2 + w * d;
    // sum over k = 1 .. w of (d + k)^2
    flops += w * d * d + d * w * (w + 1) + w * (w + 1) * (2 * w + 1) / 6;
  }
};

}  // namespace clchol::ordering
