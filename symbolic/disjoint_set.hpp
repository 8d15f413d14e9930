// Disjoint sets of the numbers 0..n-1, with path halving.  The caller chooses the representative of
// a set.
//
// The column counts use them: the representative of a set is the root of a subtree of the
// elimination tree seen so far.  m operations cost O(m log n) at worst and nearly O(m) in practice.
#pragma once

#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace clchol::symbolic {

class DisjointSet {
 public:
  explicit DisjointSet(Index n) : link_(n) { std::iota(link_.begin(), link_.end(), Index{0}); }

  /// @return the representative of i's set.  Halves the path from i to it.
  Index find(Index i) {
    while (link_[i] != i) {
      link_[i] = link_[link_[i]];
      i = link_[i];
    }
    return i;
  }

  /// Joins two sets: `new_root` becomes the representative of the set of `root`.
  void attach(Index root, Index new_root) { link_[root] = new_root; }

 private:
  // link_[i]: next number on the path from i to the representative; the representative's link is
  // itself.  Length n.
  std::vector<Index> link_;
};

}  // namespace clchol::symbolic
