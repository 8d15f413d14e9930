// Walks the assembly tree group by group.  A team of threads runs the subtree tasks and the fronts
// above the cut of each group in parallel.
//
// The walk has no influence on values: the plan assigns fronts to tasks, and each front fixes the
// order of its sums.  No team is made for one thread, or for a group with at most one task and no
// front above the cut.  Every thread of a walk flushes subnormal numbers during the walk.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/arithmetic_mode.hpp"
#include "base/team.hpp"
#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

class TreeSchedule {
 public:
  /// @param groups  groups that together contain all fronts of the plan.
  TreeSchedule(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan,
               const TreeGroups& groups, int threads)
      : symbolic_(symbolic), plan_(plan), groups_(groups), threads_(threads) {
    if (threads > 1) pending_ = std::make_unique<std::atomic<Index>[]>(symbolic.nsuper);
  }

  /// Number of the calling thread among the threads of the walk, in [0, threads).  A walk on one
  /// thread may run inside a team of the caller, in which the thread may have another number.
  int thread_index() const { return is_serial_ ? 0 : team_member(); }

  /// Children first: calls subtree(t) for every task of group g, and top(s) for every front above
  /// the cut after all tasks and fronts of the group below s.  Throws what the callbacks throw.
  template <class Subtree, class Top>
  void upwards(Index g, const Subtree& subtree, const Top& top) {
    const FlushSubnormals flush;
    const TreeGroup group = begin(g);
    if (is_serial_) {
      for (const Index s : group.top) {
        for_each_task_of(s, subtree);
        top(s);
      }
      for_each_free_task(group, subtree);
      return;
    }
    std::vector<Index> ready;  // Fronts above the cut with no task or front of the group below.
    for (const Index s : group.top) {
      const Index pending = num_pending(s);
      pending_[s] = pending;
      if (pending == 0) ready.push_back(s);
    }
    const auto num_tasks = static_cast<Index>(group.tasks.size());
    run_in_team(threads_, [&] {
      run_tasks(num_tasks + static_cast<Index>(ready.size()), [&](Index k) {
        Index p = kNone;
        if (k < num_tasks) {
          subtree(group.tasks[k]);
          p = parent_of_task(group.tasks[k]);
        } else {
          top(ready[k - num_tasks]);
          p = parent_of(ready[k - num_tasks]);
        }
        // The thread that completes the last child of a front also calls top() for the front.
        while (p != kNone && pending_[p].fetch_sub(1, std::memory_order_acq_rel) == 1) {
          top(p);
          p = parent_of(p);
        }
      });
    });
  }

  /// Parents first: calls top(s) before the tasks and fronts of the group below s.  Throws what the
  /// callbacks throw.
  template <class Subtree, class Top>
  void downwards(Index g, const Subtree& subtree, const Top& top) {
    const FlushSubnormals flush;
    const TreeGroup group = begin(g);
    if (is_serial_) {
      for_each_free_task(group, subtree);
      for (auto s = group.top.rbegin(); s != group.top.rend(); ++s) {
        top(*s);
        for_each_task_of(*s, subtree);
      }
      return;
    }
    TaskQueue<Step> steps;
    steps.reserve(static_cast<Index>(group.top.size() + group.tasks.size()));
    for (const Index s : group.top) {
      if (parent_of(s) == kNone) steps.push({true, s});
    }
    for_each_free_task(group, [&](Index t) { steps.push({false, t}); });
    run_in_team(threads_, [&] {
      steps.run([&](Step step) {
        if (step.is_top) {
          descend(step.index, top, steps);
        } else {
          subtree(step.index);
        }
      });
    });
  }

 private:
  TreeGroup begin(Index g) {
    const TreeGroup group = groups_[g];
    // A single front above the cut is worth a team, because it is split into tasks.
    is_serial_ = threads_ <= 1 || (group.top.empty() && group.tasks.size() <= 1);
    return group;
  }

  /// @return the parent of front s above the cut; kNone when the parent is in a later group or
  ///         belongs to another engine.
  Index parent_of(Index s) const {
    const Index p = symbolic_.super_parent[s];
    if (p == kNone || plan_.kind[p] == FrontKind::kElsewhere) return kNone;
    return groups_.outlives_group(s, p) ? kNone : p;
  }
  /// @return the front above task t, which is in the group of the task; kNone when there is none or
  ///         it belongs to another engine.
  Index parent_of_task(Index t) const {
    const Index p = symbolic_.super_parent[plan_.tasks.roots(t).front()];
    return p == kNone || plan_.kind[p] == FrontKind::kElsewhere ? kNone : p;
  }
  /// Calls f(c) for the children c of front s that are above the cut and in the group of s.
  template <class F>
  void for_each_top_below(Index s, const F& f) const {
    for (const Index c : symbolic_.children(s)) {
      if (plan_.kind[c] == FrontKind::kTop && !groups_.outlives_group(c, s)) f(c);
    }
  }
  /// @return the number of tasks and child fronts in its group that front s above the cut needs.
  Index num_pending(Index s) const {
    Index count = plan_.num_tasks[s];
    for_each_top_below(s, [&](Index /*child*/) { ++count; });
    return count;
  }

  template <class F>
  void for_each_task_of(Index s, const F& f) const {
    const Index first = plan_.first_task[s];
    for (Index t = first; t < first + plan_.num_tasks[s]; ++t) f(t);
  }

  /// Calls f(t) for the tasks without a front above them in the plan: whole components of the
  /// matrix, or subtrees whose parent belongs to another engine.
  template <class F>
  void for_each_free_task(const TreeGroup& group, const F& f) const {
    for (const Index t : group.tasks) {
      if (parent_of_task(t) == kNone) f(t);
    }
  }

  /// Work that a member of the team takes from the queue on the way down.
  struct Step {
    bool is_top;
    Index index;  // Number of the front above the cut, or of the task.
  };

  /// Computes s, queues the work below s except for one child front, and continues with that child.
  template <class Top>
  void descend(Index s, const Top& top, TaskQueue<Step>& steps) {
    while (s != kNone) {
      top(s);
      for_each_task_of(s, [&](Index t) { steps.push({false, t}); });
      Index next = kNone;
      for_each_top_below(s, [&](Index c) {
        if (next != kNone) steps.push({true, next});
        next = c;
      });
      s = next;
    }
  }

  const symbolic::SymbolicFactor& symbolic_;
  const CpuPlan& plan_;
  const TreeGroups& groups_;
  int threads_;
  bool is_serial_ = false;  // Whether the calling thread walks the present group alone.
  /// Tasks and child fronts that front s above the cut still waits for.  Length nsuper.
  std::unique_ptr<std::atomic<Index>[]> pending_;
};

}  // namespace clchol::numeric
