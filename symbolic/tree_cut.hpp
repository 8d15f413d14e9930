// Cut of a forest in two: the largest subtrees that satisfy a condition, and the nodes above them.
//
// Tasks of the symbolic phases, tasks of the CPU engine and groups of a device are made by such
// cuts.  The condition bounds a measure: entries, predicted time or memory.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::symbolic {

/// A cut of a forest whose nodes are numbered in a postorder.
struct TreeCut {
  // First node of subtree t; subtrees ascend.  Length: subtrees.
  std::vector<Index> begin;
  // One past the last node of subtree t, which is its root.  Length: subtrees.
  std::vector<Index> end;
  std::vector<Index> above;  // Nodes above all subtrees, ascending.

  Index num_subtrees() const { return static_cast<Index>(begin.size()); }
  Index root(Index t) const { return end[t] - 1; }

  /// Calls subtree(t) for every subtree and node(j) for every node j above, in ascending order:
  /// each node comes after its descendants.
  template <class Subtree, class Node>
  void ascend(const Subtree& subtree, const Node& node) const {
    Index t = 0;
    for (Index j : above) {
      for (; t < num_subtrees() && end[t] <= j; ++t) subtree(t);
      node(j);
    }
    for (; t < num_subtrees(); ++t) subtree(t);
  }
};

/// Cuts a forest.  Below the cut are the subtrees of all nodes j for which fits(j) is true and is
/// false for every ancestor of j.
/// @param first  first[j]: the subtree of j is [first[j], j], nodes numbered in a postorder.
///               Length n.
/// @param fits   fits(j): whether the subtree of j satisfies the condition.
/// Cost O(nodes above + subtrees) calls of fits.
template <class Fits>
TreeCut cut_tree(std::span<const Index> first, const Fits& fits) {
  TreeCut cut;
  for (Index end = static_cast<Index>(first.size()); end > 0;) {
    const Index j = end - 1;
    if (fits(j)) {
      cut.begin.push_back(first[j]);
      cut.end.push_back(end);
      end = first[j];
    } else {
      cut.above.push_back(j);
      end = j;
    }
  }
  std::ranges::reverse(cut.begin);
  std::ranges::reverse(cut.end);
  std::ranges::reverse(cut.above);
  return cut;
}

}  // namespace clchol::symbolic
