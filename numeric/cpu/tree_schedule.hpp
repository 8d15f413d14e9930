// Walks the assembly tree in parallel: subtree tasks and the fronts above the cut, by a team.
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
  TreeSchedule(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, int threads)
      : symbolic_(symbolic), plan_(plan), threads_(threads) {
    if (!is_serial()) pending_ = std::make_unique<std::atomic<Index>[]>(symbolic.nsuper);
  }

  /// Number of the calling thread among those of the walk, in [0, threads).  A walk on one thread
  /// may lie inside a team of the caller's, where the thread has another number.
  int thread_index() const { return is_serial() ? 0 : team_member(); }

  /// Children first: subtree(t) for every task, top(s) for every front above the cut once all tasks
  /// and fronts below it are done.  Throws what they throw.
  template <class Subtree, class Top>
  void upwards(const Subtree& subtree, const Top& top) {
    const FlushSubnormals flush;
    if (is_serial()) {
      for (const Index s : plan_.top) {
        for_each_task_of(s, subtree);
        top(s);
      }
      for_each_free_task(subtree);
      return;
    }
    std::vector<Index> ready;  // Fronts above the cut that have nothing below them.
    for (const Index s : plan_.top) {
      pending_[s] = plan_.num_pending[s];
      if (plan_.num_pending[s] == 0) ready.push_back(s);
    }
    const Index num_tasks = plan_.tasks.size();
    run_in_team(threads_, [&] {
      run_tasks(num_tasks + static_cast<Index>(ready.size()), [&](Index k) {
        Index p = kNone;
        if (k < num_tasks) {
          subtree(k);
          p = parent_of_task(k);
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

  /// Parents first: top(s) before the tasks and fronts below it.  Throws what they throw.
  template <class Subtree, class Top>
  void downwards(const Subtree& subtree, const Top& top) {
    const FlushSubnormals flush;
    if (is_serial()) {
      for_each_free_task(subtree);
      for (auto s = plan_.top.rbegin(); s != plan_.top.rend(); ++s) {
        top(*s);
        for_each_task_of(*s, subtree);
      }
      return;
    }
    TaskQueue<Step> steps;
    steps.reserve(static_cast<Index>(plan_.top.size()) + plan_.tasks.size());
    for (const Index s : plan_.top) {
      if (parent_of(s) == kNone) steps.push({true, s});
    }
    for_each_free_task([&](Index t) { steps.push({false, t}); });
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
  /// A front above the cut is worth a team even alone: its pieces are tasks.
  bool is_serial() const { return threads_ <= 1 || (plan_.top.empty() && plan_.tasks.size() <= 1); }

  /// kNone where it is another engine's.
  Index parent_of(Index s) const {
    const Index p = symbolic_.super_parent[s];
    return p == kNone || plan_.kind[p] == FrontKind::kElsewhere ? kNone : p;
  }
  Index parent_of_task(Index t) const { return parent_of(plan_.tasks.roots(t).front()); }

  template <class F>
  void for_each_task_of(Index s, const F& f) const {
    const Index first = plan_.first_task[s];
    for (Index t = first; t < first + plan_.num_tasks[s]; ++t) f(t);
  }

  /// Tasks under no front: whole components of the matrix, or of what the engine has of it.
  template <class F>
  void for_each_free_task(const F& f) const {
    for (Index t = 0; t < plan_.tasks.size(); ++t) {
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
      for (Index c : symbolic_.children(s)) {
        if (plan_.kind[c] != FrontKind::kTop) continue;
        if (next != kNone) steps.push({true, next});
        next = c;
      }
      s = next;
    }
  }

  const symbolic::SymbolicFactor& symbolic_;
  const CpuPlan& plan_;
  int threads_;
  std::unique_ptr<std::atomic<Index>[]>
      pending_;  // What a top front still waits for. Length nsuper.
};

}  // namespace clchol::numeric
