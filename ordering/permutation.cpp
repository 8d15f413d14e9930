#include "ordering/permutation.hpp"

#include <numeric>
#include <string>

namespace clchol::ordering {

Permutation identity(Index n) {
  Permutation p;
  p.perm.resize(n);
  std::iota(p.perm.begin(), p.perm.end(), Index{0});
  p.iperm = p.perm;
  return p;
}

Permutation make_permutation(std::vector<Index> perm) {
  const Index n = static_cast<Index>(perm.size());
  Permutation p{std::move(perm), std::vector<Index>(n, kNone)};
  for (Index k = 0; k < n; ++k) {
    const Index old = p.perm[k];
    if (old < 0 || old >= n) {
      throw InvalidArgument("permutation: entry " + std::to_string(k) + " is " +
                            std::to_string(old) + ", outside [0, " + std::to_string(n) + ")");
    }
    if (p.iperm[old] != kNone) {
      throw InvalidArgument("permutation: row " + std::to_string(old) + " stands at both " +
                            std::to_string(p.iperm[old]) + " and " + std::to_string(k));
    }
    p.iperm[old] = k;
  }
  return p;
}

}  // namespace clchol::ordering
