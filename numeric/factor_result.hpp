// Result of a factorization, for every engine.
#pragma once

#include "base/types.hpp"

namespace clchol::numeric {

struct FactorResult {
  Status status = Status::kOk;  // kOk, kNotPositiveDefinite or kInterrupted.
  Index column = kNone;         // First column, in the final numbering, whose pivot is not > 0.
  double pivot = 0;             // Value of the pivot of `column`.
};

}  // namespace clchol::numeric
