// Permutations of rows, in both directions.
//
//   perm[new] = old,  iperm[old] = new.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::ordering {

struct Permutation {
  std::vector<Index> perm;   // perm[k]: the row that becomes row k.  Length n.
  std::vector<Index> iperm;  // iperm[i]: the new number of row i.     Length n.

  Index size() const { return static_cast<Index>(perm.size()); }
};

/// The permutation perm[k] = k.
Permutation identity(Index n);

/// Makes a permutation from perm[new] = old.
/// Throws InvalidArgument with the first entry that is out of range or occurs twice.  Cost O(n).
Permutation make_permutation(std::vector<Index> perm);

}  // namespace clchol::ordering
