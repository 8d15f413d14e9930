// Disjoint sets of the numbers 0..n-1.  At first every number is a set of its own; the caller joins
// sets, and chooses the representative of each joined set.
//
// Used by column_counts.cpp, where a set is a subtree of the part of the elimination tree that has
// been seen so far, and the representative of the set is the root of the subtree.  m operations
// cost O(m log n) at worst (by path halving) and nearly O(m) in practice.
#pragma once

#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace clchol::symbolic {

class DisjointSet {
 public:
  explicit DisjointSet(Index n) : link_(n) { std::iota(link_.begin(), link_.end(), Index{0}); }

  /// @return the representative of i's set.  Halves the path from i to the representative.
  Index find(Index i) {
    while (link_[i] != i) {
      link_[i] = link_[link_[i]];
      i = link_[i];
    }
    return i;
  }

  /// Joins the sets of `root` and `new_root`, which must be the representatives of their sets;
  /// `new_root` becomes the representative of the joined set.
  void attach(Index root, Index new_root) { link_[root] = new_root; }

 private:
  // link_[i]: the next number on the path from i to the representative of i's set; i itself if i is
  // the representative.  Length n.
  std::vector<Index> link_;
};

}  // namespace clchol::symbolic
