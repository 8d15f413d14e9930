#include "base/csc.hpp"

namespace clchol {

bool is_sorted_lower(const CscPatternView& pattern) {
  for (Index j = 0; j < pattern.n; ++j) {
    Index last = j - 1;
    for (Index i : pattern.column(j)) {
      if (i <= last || i >= pattern.n) return false;
      last = i;
    }
  }
  return true;
}

}  // namespace clchol
