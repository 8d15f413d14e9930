// Disjoint sets over 0..n-1 with path halving; the representative is chosen by the caller.
//
// Used by the column counts, where the representative of a set is the root of a subtree of the
// elimination tree seen so far.  Cost of m operations O(m log n) at worst, nearly linear in
// practice.
#pragma once

#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace clchol::symbolic {

class DisjointSet {
 public:
  explicit DisjointSet(Index n) : link_(n) { std::iota(link_.begin(), link_.end(), Index{0}); }

  /// The representative of i's set; shortens the path on the way.
  Index find(Index i) {
    while (link_[i] != i) {
      link_[i] = link_[link_[i]];
      i = link_[i];
    }
    return i;
  }

  /// Puts the set whose representative is `root` below `new_root`.
  void attach(Index root, Index new_root) { link_[root] = new_root; }

 private:
  std::vector<Index> link_;  // link_[i]: towards the representative; itself there.  Length n.
};

}  // namespace clchol::symbolic
