// Cut of a forest into disjoint subtrees, which threads process in parallel, and the nodes above
// the subtrees.
//
// The cut depends on the forest and on its work, never on the number of threads.  Results that are
// computed along the cut, sums included, therefore have the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "base/types.hpp"
#include "symbolic/tree_cut.hpp"

namespace clchol::symbolic {

/// A cut whose subtrees are collected into tasks.
struct ForestCut : TreeCut {
  std::vector<Index> task_ptr;  // Task k has the subtrees [task_ptr[k], task_ptr[k+1]).

  Index num_tasks() const { return static_cast<Index>(task_ptr.size()) - 1; }
};

/// Cuts a forest.  Below the cut are the largest subtrees whose work is at most a bound, which is
/// the greater of 1/64 of the total work and `least_work`.  Neighbouring subtrees are collected
/// into one task until the task has at least half of the bound.
/// @param first  first[j]: the subtree of j is [first[j], j], nodes numbered in a postorder.
///               Length n.
/// @param work   work(begin, end): work of nodes [begin, end), additive.
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

/// Calls f(t, member) for every subtree t, tasks in parallel.  member < threads is the calling
/// thread's number in its team.
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
