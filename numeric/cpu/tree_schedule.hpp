// Walks the assembly tree in parallel, group by group: subtree tasks and the fronts above the cut,
// by a team.
//
// The walk itself decides nothing about values: which front is in which task is the plan's, the
// order of sums is the fronts'.  With one thread, or few things to do, no team is made.  Every
// thread of a walk flushes subnormal numbers while it lasts.
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
  /// @param groups  all fronts of the plan.
  TreeSchedule(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan,
               const TreeGroups& groups, int threads)
      : symbolic_(symbolic), plan_(plan), groups_(groups), threads_(threads) {
    if (threads > 1) pending_ = std::make_unique<std::atomic<Index>[]>(symbolic.nsuper);
  }

  /// Number of the calling thread among those of the walk, in [0, threads).  A walk on one thread
  /// may lie inside a team of the caller's, where the thread has another number.
  int thread_index() const { return is_serial_ ? 0 : team_member(); }

  /// Children first: subtree(t) for every task of the group, top(s) for every front above the cut
  /// once all tasks and fronts of the group below it are done.  Throws what they throw.
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
    std::vector<Index> ready;  // Fronts above the cut that have nothing below them.
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
        // Goes on with the parent when this was the last thing it needs.
        while (p != kNone && pending_[p].fetch_sub(1, std::memory_order_acq_rel) == 1) {
          top(p);
          p = parent_of(p);
        }
      });
    });
  }

  /// Parents first: top(s) before the tasks and fronts of the group below it.  Throws what they
  /// throw.
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
    // A front above the cut is worth a team even alone: its pieces are tasks.
    is_serial_ = threads_ <= 1 || (group.top.empty() && group.tasks.size() <= 1);
    return group;
  }

  /// The parent of front s above the cut; kNone where it is in a later group or another engine's.
  Index parent_of(Index s) const {
    const Index p = symbolic_.super_parent[s];
    if (p == kNone || plan_.kind[p] == FrontKind::kElsewhere) return kNone;
    return groups_.outlives_group(s, p) ? kNone : p;
  }
  /// A task is in the group of the front above it.
  Index parent_of_task(Index t) const {
    const Index p = symbolic_.super_parent[plan_.tasks.roots(t).front()];
    return p == kNone || plan_.kind[p] == FrontKind::kElsewhere ? kNone : p;
  }
  /// Fronts above the cut right below front s, in its group.
  template <class F>
  void for_each_top_below(Index s, const F& f) const {
    for (const Index c : symbolic_.children(s)) {
      if (plan_.kind[c] == FrontKind::kTop && !groups_.outlives_group(c, s)) f(c);
    }
  }
  /// Tasks and fronts of the group that front s above the cut waits for.
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

  /// Tasks under no front: whole components of the matrix, or of what the engine has of it.
  template <class F>
  void for_each_free_task(const TreeGroup& group, const F& f) const {
    for (const Index t : group.tasks) {
      if (parent_of_task(t) == kNone) f(t);
    }
  }

  /// What a member of the team takes up on the way down.
  struct Step {
    bool is_top;
    Index index;  // A front above the cut, or a task.
  };

  /// Hands on what lies below s, and goes down one branch itself.
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
  bool is_serial_ = false;  // Of the group at hand.
  std::unique_ptr<std::atomic<Index>[]>
      pending_;  // What a top front still waits for. Length nsuper.
};

}  // namespace clchol::numeric
