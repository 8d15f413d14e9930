// Result of a factorization by any engine (CPU or devices).
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

/// How a factorization has ended.
struct FactorResult {
  Status status = Status::kOk;  // kOk, kNotPositiveDefinite, or kInterrupted when cancelled.
  // First column of L with a bad pivot, numbered as in the permuted matrix.  A pivot is bad if it
  // is not positive or not finite; an engine may also refuse pivots near the ends of the range of
  // floating-point numbers.  kNone: no pivot is bad.
  Index column = kNone;
  double pivot = 0;  // Pivot of `column`, before the square root.  0 if column = kNone.
};

}  // namespace clchol::numeric
