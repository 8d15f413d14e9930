// Calls functions for the fronts of the assembly tree in parallel, from the leaves up or from the
// roots down, one group of fronts after another (numeric/cpu/tree_groups.hpp).
//
// The plan cuts the assembly tree (numeric/cpu/plan.hpp): fronts above the cut have subtrees of
// large predicted time; each subtree below the cut is computed by one thread.  A task is one or
// several subtrees below the cut.
//
// A *walk* consists of the calls for one group: one call for each task, and one call for each front
// above the cut.  The host threads of a team (base/team.hpp) make the calls.  In an upward walk,
// the call for a front begins when the calls for its children have returned.  In a downward walk,
// the call for a front or a task begins when the call for its parent in the group has returned.
//
// The computed values do not depend on which thread makes a call: the plan assigns fronts to tasks,
// and each front adds its children's contributions in a fixed order.  Every thread of a walk
// flushes subnormal numbers to zero.
//
// A walk is *serial*, that is, the calling thread makes all calls, if at most one thread may be
// used, or if the group has at most one task and no front above the cut.  The threads of a team may
// still help with a call, if there are many groups.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/arithmetic_mode.hpp"
#include "base/team.hpp"
#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {

/// Carries out the walks of one factorization or solve.  Only one walk of an object may run at a
/// time.
class TreeSchedule {
 public:
  /// All arguments must outlive this object.
  /// @param groups   groups that together contain all fronts of the plan.
  /// @param threads  maximum number of host threads of a walk.
  TreeSchedule(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan,
               const TreeGroups& groups, int threads)
      : symbolic_(symbolic), plan_(plan), groups_(groups), threads_(threads) {
    if (threads > 1) pending_ = std::make_unique<std::atomic<Index>[]>(symbolic.nsuper);
  }

  /// Precondition: the caller is subtree() or top(), the functions that a walk calls.
  /// @return index of the calling thread among the threads of the walk, in [0, threads).  In a
  ///         serial walk the index is 0, even if the thread that called upwards() or downwards() is
  ///         itself a member of another team, with another index.
  int thread_index() const { return is_serial_ ? 0 : team_member(); }

  /// Walks group g from the leaves up: calls subtree(t) for every task t of the group, and top(s)
  /// for every front s of the group that is above the cut.  top(s) is called after the calls for
  /// all descendants of s in the group have returned.  Two calls of which neither is for a
  /// descendant of the other may run at the same time, on different threads.  Throws the exceptions
  /// of subtree() and top(), and std::bad_alloc.
  template <class Subtree, class Top>
  void upwards(Index g, const Subtree& subtree, const Top& top) {
    const FlushSubnormals flush;
    const TreeGroup group = begin(g);
    if (is_serial_) {
      const auto walk = [&] {
        for (const Index s : group.top) {
          for_each_task_of(s, subtree);
          top(s);
        }
        for_each_free_task(group, subtree);
      };
      if (threads_ > 1 && groups_.size() > 1) return run_in_team(threads_, walk);
      return walk();
    }
    std::vector<Index> ready;  // Fronts above the cut that need not wait for a child in the group.
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

  /// Walks group g from the roots down: calls top(s) for every front s of the group that is above
  /// the cut, and subtree(t) for every task t of the group.  top(s) returns before the calls for
  /// descendants of s in the group begin.  Two calls of which neither is for a descendant of the
  /// other may run at the same time, on different threads.  Throws the exceptions of subtree() and
  /// top(), and std::bad_alloc.
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
  /// Begins a walk of group g: decides whether the walk is serial.
  /// @return group g.
  TreeGroup begin(Index g) {
    const TreeGroup group = groups_[g];
    // A team pays even for a single front above the cut: several threads share a large front.
    is_serial_ = threads_ <= 1 || group.is_serial();
    return group;
  }

  /// @return the parent of front s; kNone when s has no parent, or when the parent is in a later
  ///         group or belongs to another engine.  Front s must be above the cut, or a task's root.
  Index parent_of(Index s) const {
    const Index p = symbolic_.super_parent[s];
    if (p == kNone || plan_.kind[p] == FrontKind::kElsewhere) return kNone;
    return groups_.outlives_group(s, p) ? kNone : p;
  }
  /// @return the common parent of the roots of task t in the task's group; kNone when no root has a
  ///         parent in this group.  In the latter case the roots have a common parent that gathers,
  ///         in a later group; or each root has no parent, or has a parent that belongs to another
  ///         engine, and these parents may differ.
  Index parent_of_task(Index t) const { return parent_of(plan_.tasks.roots(t).front()); }
  /// Calls f(c) for the children c of front s that are above the cut and in the group of s.
  template <class F>
  void for_each_top_below(Index s, const F& f) const {
    for (const Index c : symbolic_.children(s)) {
      if (plan_.kind[c] == FrontKind::kTop && !groups_.outlives_group(c, s)) f(c);
    }
  }
  /// @return the number of calls that must return before an upward walk may call top(s): one call
  ///         for each task whose roots are children of s, and one call for each child of s that is
  ///         above the cut and in the group of s.
  Index num_pending(Index s) const {
    Index count = 0;
    for_each_task_of(s, [&](Index /*task*/) { ++count; });
    for_each_top_below(s, [&](Index /*child*/) { ++count; });
    return count;
  }

  /// Calls f(t) for every task t of the group of s whose roots are children of front s.
  template <class F>
  void for_each_task_of(Index s, const F& f) const {
    if (groups_.is_gathering(s)) return;
    const Index first = plan_.first_task[s];
    for (Index t = first; t < first + plan_.num_tasks[s]; ++t) f(t);
  }

  /// Calls f(t) for every task t of the group whose roots have no parent in the group.
  template <class F>
  void for_each_free_task(const TreeGroup& group, const F& f) const {
    for (const Index t : group.tasks) {
      if (parent_of_task(t) == kNone) f(t);
    }
  }

  /// One call that downwards() has to make: top(index) or subtree(index).
  struct Step {
    bool is_top;  // true: the call is top(index); false: the call is subtree(index).
    Index index;  // Number of the front above the cut, or number of the task.
  };

  /// Calls top(s).  Then adds to the queue `steps` all tasks whose roots are children of s, and all
  /// children of s that are above the cut and in the group, except the last such child.  Continues
  /// with the last such child instead of s, until there is none.
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
  bool is_serial_ = false;  // Whether the walk that begin() has begun is serial.
  /// For each front s above the cut, number of calls that must still return before an upward walk
  /// may call top(s).  Length nsuper; null when threads_ <= 1.
  std::unique_ptr<std::atomic<Index>[]> pending_;
};

}  // namespace clchol::numeric
