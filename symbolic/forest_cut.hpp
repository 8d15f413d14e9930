// Disjoint subtrees of a forest for threads to work on side by side, and the nodes above them.
//
// The cut depends on the forest and its work alone, never on the number of threads: what is made
// of it, sums included, has the same digits for any number of them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol::symbolic {

/// Nodes are numbered in postorder.
struct ForestCut {
  std::vector<Index> begin;     // Subtree t is [begin[t], end[t]), its root the last of them.
  std::vector<Index> end;       // Length of both: subtrees, ascending.
  std::vector<Index> task_ptr;  // Task k is subtrees [task_ptr[k], task_ptr[k+1]).
  std::vector<Index> above;     // Nodes in no subtree, ascending.

  Index num_subtrees() const { return static_cast<Index>(begin.size()); }
  Index num_tasks() const { return static_cast<Index>(task_ptr.size()) - 1; }
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

/// Cuts off every subtree whose work is at most a share of the whole, or at most `least_work`.
/// @param first  first[j]: the subtree of j is [first[j], j].  Length n, labels a postorder.
/// @param work   work(begin, end) of nodes [begin, end), additive.
/// Cost O(nodes above + subtrees) calls of work.
template <class Work>
ForestCut cut_forest(std::span<const Index> first, Offset least_work, const Work& work) {
  constexpr Offset kShares = 64;
  const Index n = static_cast<Index>(first.size());
  const Offset most = std::max<Offset>(work(0, n) / kShares, least_work);
  ForestCut cut;
  for (Index end = n; end > 0;) {
    const Index j = end - 1;
    if (work(first[j], end) <= most) {
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

  cut.task_ptr.push_back(0);
  Offset task = 0;
  for (Index t = 0; t < cut.num_subtrees(); ++t) {
    task += work(cut.begin[t], cut.end[t]);
    if (2 * task < most) continue;
    cut.task_ptr.push_back(t + 1);
    task = 0;
  }
  if (cut.task_ptr.back() < cut.num_subtrees()) cut.task_ptr.push_back(cut.num_subtrees());
  return cut;
}

/// Calls f(t, member) for every subtree; member < threads is the thread's number in its team.
/// Throws what f throws.
template <class F>
void for_each_subtree(const ForestCut& cut, int threads, const F& f) {
  auto run_task = [&](Index k, int member) {
    for (Index t = cut.task_ptr[k]; t < cut.task_ptr[k + 1]; ++t) f(t, member);
  };
  if (threads == 1 || cut.num_tasks() < 2) {
    for (Index k = 0; k < cut.num_tasks(); ++k) run_task(k, 0);
    return;
  }
  run_in_team(threads,
              [&] { run_tasks(cut.num_tasks(), [&](Index k) { run_task(k, team_member()); }); });
}

}  // namespace clchol::symbolic
