// Cut of a forest into disjoint subtrees, which threads process in parallel, and the nodes above
// the subtrees.  Small neighbouring subtrees are collected into tasks.
//
// The cut depends on the forest and on the work of its nodes, never on the number of threads.
// Results that are computed subtree by subtree and then above the cut, sums included, therefore
// have the same bits for any number of threads.
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
  // Task k has the subtrees [task_ptr[k], task_ptr[k+1]).  Length: tasks + 1.
  std::vector<Index> task_ptr;

  Index num_tasks() const { return static_cast<Index>(task_ptr.size()) - 1; }
};

/// Cuts a forest.  Below the cut are the largest subtrees whose work is at most a bound, which is
/// the greater of 1/64 of the total work and `least_work`.  Neighbouring subtrees are collected
/// into one task until the task has at least half of the bound.
/// @param first       first[j]: the subtree of j is [first[j], j], nodes numbered in a postorder.
///                    Length n.
/// @param least_work  in the unit of work().
/// @param work        function work(begin, end): work of the nodes [begin, end), in any unit; the
///                    work of two neighbouring ranges together is the sum of both.
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

/// Calls f(t, member) for every subtree t.  Threads execute tasks at the same time; the subtrees of
/// a task are processed one after another.  `member`, in [0, threads), is the number of the thread
/// that makes the call, so that f can use workspaces of its own for each thread.
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
