// Result of a factorization by any engine (CPU or devices).
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

struct FactorResult {
  Status status = Status::kOk;  // kOk, kNotPositiveDefinite, or kInterrupted when cancelled.
  Index column = kNone;         // First column of L whose pivot is not > 0; kNone: no pivot failed.
  double pivot = 0;             // Value of the failed pivot.
};

}  // namespace clchol::numeric
