// Result of a factorization by any engine (CPU or devices).
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

/// How a factorization has ended.
struct FactorResult {
  Status status = Status::kOk;  // kOk, kNotPositiveDefinite, or kInterrupted when cancelled.
  Index column = kNone;         // First column of L whose pivot is not > 0.  kNone: no such column.
  double pivot = 0;             // Pivot of `column`, before the square root.  0 if column = kNone.
};

}  // namespace clchol::numeric
