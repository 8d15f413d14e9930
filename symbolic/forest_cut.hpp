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
#include "symbolic/tree_cut.hpp"

namespace clchol::symbolic {

/// The subtrees dealt to tasks.
struct ForestCut : TreeCut {
  std::vector<Index> task_ptr;  // Task k is subtrees [task_ptr[k], task_ptr[k+1]).

  Index num_tasks() const { return static_cast<Index>(task_ptr.size()) - 1; }
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
  ForestCut cut{cut_tree(first, [&](Index j) { return work(first[j], j + 1) <= most; }), {}};
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
