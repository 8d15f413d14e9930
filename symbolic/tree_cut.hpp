// A forest cut in two: the largest subtrees that fit some measure, and the nodes above them.
//
// Tasks of the symbolic phases, tasks of the CPU engine and groups of a device are such cuts, each
// by a measure of its own: entries, predicted time, memory.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace clchol::symbolic {

/// Nodes are numbered in postorder.
struct TreeCut {
  std::vector<Index> begin;  // Subtree t is [begin[t], end[t]), its root the last of them.
  std::vector<Index> end;    // Length of both: subtrees, ascending.
  std::vector<Index> above;  // Nodes in no subtree, ascending.

  Index num_subtrees() const { return static_cast<Index>(begin.size()); }
  Index root(Index t) const { return end[t] - 1; }

  /// Calls subtree(t) and node(j), j above, each after those below it, in ascending order.
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

/// Cuts off the subtree of every node that fits and that is in no larger one that does.
/// @param first  first[j]: the subtree of j is [first[j], j].  Length n, labels a postorder.
/// @param fits   fits(j): whether the subtree of j does.
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
