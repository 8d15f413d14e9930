// Walks the assembly tree in parallel, up or down, one group of fronts at a time
// (numeric/cpu/tree_groups.hpp).
//
// The host threads of a team (base/team.hpp) execute the subtree tasks of the group and its fronts
// above the cut.  A task or front begins when all that must precede it in the tree have ended.
// Which thread executes it has no influence on values: the plan assigns fronts to tasks, and each
// front adds its children's contributions in a fixed order.  Every thread of the walk flushes
// subnormal numbers to zero.
//
// A walk is *serial*, without a team, when it has one thread, or for a group with at most one task
// and no front above the cut.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/arithmetic_mode.hpp"
#include "base/team.hpp"
#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

/// The order in which a factorization or a solve handles the fronts of each group.
class TreeSchedule {
 public:
  /// All arguments must outlive this object.
  /// @param groups   groups that together contain all fronts of the plan.
  /// @param threads  maximum number of threads of a walk.
  TreeSchedule(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan,
               const TreeGroups& groups, int threads)
      : symbolic_(symbolic), plan_(plan), groups_(groups), threads_(threads) {
    if (threads > 1) pending_ = std::make_unique<std::atomic<Index>[]>(symbolic.nsuper);
  }

  /// @return index of the calling thread among the threads of the walk, in [0, threads), for use in
  ///         callbacks; 0 in a serial walk, even if the walk runs inside a team of the caller in
  ///         which the thread has another index.
  int thread_index() const { return is_serial_ ? 0 : team_member(); }

  /// Walks group g from the leaves up: calls subtree(t) for every task t of the group, and top(s)
  /// for every front s above the cut, after the calls for the descendants of s in the group have
  /// returned.  Other calls may run at the same time, on different threads.  Throws the exceptions
  /// of the callbacks, std::bad_alloc.
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
    std::vector<Index> ready;  // Fronts above the cut that have no child in the group.
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
        // The thread that completes the last child of front p also calls top(p).
        while (p != kNone && pending_[p].fetch_sub(1, std::memory_order_acq_rel) == 1) {
          top(p);
          p = parent_of(p);
        }
      });
    });
  }

  /// Walks group g from the roots down: calls top(s) for every front s above the cut, before the
  /// calls for the descendants of s in the group, and subtree(t) for every task t.  Other calls may
  /// run at the same time, on different threads.  Throws the exceptions of the callbacks,
  /// std::bad_alloc.
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
  /// Begins the walk of group g: decides whether the walk is serial.
  TreeGroup begin(Index g) {
    const TreeGroup group = groups_[g];
    // A single front above the cut is worth a team, because a large front is split into tasks.
    is_serial_ = threads_ <= 1 || (group.top.empty() && group.tasks.size() <= 1);
    return group;
  }

  /// @return the parent of front s, which is above the cut; kNone when s has no parent, or one that
  ///         is in a later group or belongs to another engine.
  Index parent_of(Index s) const {
    const Index p = symbolic_.super_parent[s];
    if (p == kNone || plan_.kind[p] == FrontKind::kElsewhere) return kNone;
    return groups_.outlives_group(s, p) ? kNone : p;
  }
  /// @return the common parent of the roots of task t; kNone when the roots have no parent, or one
  ///         that belongs to another engine.
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
  /// @return the number of calls that must return before top(s): one for each task whose parent is
  ///         s, and one for each child of s that is above the cut and in the group of s.
  Index num_pending(Index s) const {
    Index count = plan_.num_tasks[s];
    for_each_top_below(s, [&](Index /*child*/) { ++count; });
    return count;
  }

  /// Calls f(t) for every task t whose parent is front s.
  template <class F>
  void for_each_task_of(Index s, const F& f) const {
    const Index first = plan_.first_task[s];
    for (Index t = first; t < first + plan_.num_tasks[s]; ++t) f(t);
  }

  /// Calls f(t) for every task t of the group whose roots have no parent in the plan: whole
  /// components of the matrix, or subtrees whose parent belongs to another engine.
  template <class F>
  void for_each_free_task(const TreeGroup& group, const F& f) const {
    for (const Index t : group.tasks) {
      if (parent_of_task(t) == kNone) f(t);
    }
  }

  /// Item of the queue of downwards(): a call of top() or subtree().
  struct Step {
    bool is_top;  // Whether the call is top(index); otherwise it is subtree(index).
    Index index;  // Number of the front above the cut, or of the task.
  };

  /// Calls top(s) and queues the tasks and the fronts above the cut whose parent is s, except for
  /// the last of these fronts.  Continues with that front in place of s.
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
  bool is_serial_ = false;  // Whether the walk of the present group is serial.
  /// Number of calls that must still return before top(s), see num_pending().  Length nsuper, or
  /// null when threads_ <= 1.
  std::unique_ptr<std::atomic<Index>[]> pending_;
};

}  // namespace clchol::numeric
