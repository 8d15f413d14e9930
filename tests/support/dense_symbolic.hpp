// Plain symbolic elimination on explicit sets: the expected patterns for small matrices.
#pragma once

#include <set>
#include <vector>

#include "base/csc.hpp"

namespace clchol::test {

/// Rows below the diagonal of each column of the factor L of P A P', ascending; perm[new] = old.
/// Eliminates vertices one after the other.  Cost O(n * nnz(L)).
inline std::vector<std::vector<Index>> eliminate(const CscPattern& lower,
                                                 const std::vector<Index>& perm) {
  const Index n = lower.n;
  std::vector<Index> iperm(n);
  for (Index k = 0; k < n; ++k) iperm[perm[k]] = k;
  std::vector<std::set<Index>> column(n);
  for (Index j = 0; j < n; ++j) {
    for (Index i : lower.view().column(j)) {
      const Index a = iperm[i], b = iperm[j];
      if (a != b) column[std::min(a, b)].insert(std::max(a, b));
    }
  }
  std::vector<std::vector<Index>> result(n);
  for (Index j = 0; j < n; ++j) {
    result[j].assign(column[j].begin(), column[j].end());
    if (result[j].empty()) continue;
    const Index parent = result[j].front();
    for (Index i : result[j]) {
      if (i != parent) column[parent].insert(i);
    }
  }
  return result;
}

}  // namespace clchol::test
