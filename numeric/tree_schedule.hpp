// Walks the assembly tree in parallel: subtree tasks and the fronts above the cut, by OpenMP tasks.
//
// The walk itself decides nothing about values: which front is in which task is the plan's, the
// order of sums is the fronts'.  With one thread, or few things to do, no parallel region is
// opened.  Called inside a parallel region of the caller's it runs on the threads that OpenMP
// grants, one by default.  Every thread of a walk flushes subnormal numbers while it lasts.
#pragma once

#include <omp.h>

#include <atomic>
#include <memory>

#include "numeric/flush_subnormals.hpp"
#include "symbolic/execution_plan.hpp"

namespace clchol::numeric {

class TreeSchedule {
 public:
  TreeSchedule(const symbolic::SymbolicFactor& symbolic, const symbolic::ExecutionPlan& plan,
               int threads)
      : symbolic_(symbolic), plan_(plan), threads_(threads) {
    for_each_top_ascending([&](Index) { ++num_top_; });
    if (!is_serial()) pending_ = std::make_unique<std::atomic<Index>[]>(symbolic.nsuper);
  }

  /// Index of the calling thread in the team of the walk, in [0, threads).  A walk on one thread
  /// may lie inside a region of the caller's, where OpenMP's number is that of another team.
  int thread_index() const { return is_serial() ? 0 : omp_get_thread_num(); }

  /// Children first: subtree(t) for every task, top(s) for every front above the cut once all tasks
  /// and fronts below it are done.  Neither may throw.
  template <class Subtree, class Top>
  void upwards(const Subtree& subtree, const Top& top) {
    if (is_serial()) {
      const FlushSubnormals flush;
      for_each_top_ascending([&](Index s) {
        for_each_task_of(s, subtree);
        top(s);
      });
      for_each_free_task(subtree);
      return;
    }
    reset_pending();
    auto finish = [&](Index p) {  // Goes on with the parent when this was the last thing it needs.
      while (p != kNone && pending_[p].fetch_sub(1, std::memory_order_acq_rel) == 1) {
        top(p);
        p = symbolic_.super_parent[p];
      }
    };
#pragma omp parallel num_threads(threads_) default(shared)
    {
      const FlushSubnormals flush;
#pragma omp single
      {
        for (Index t = 0; t < plan_.tasks.size(); ++t) {
#pragma omp task default(shared) firstprivate(t)
          {
            subtree(t);
            finish(parent_of_task(t));
          }
        }
        const auto* const go_on = &finish;
        for_each_top_ascending([&](Index s) {
          if (plan_.num_pending[s] > 0) return;
          const Top* const work = &top;
          const Index parent = symbolic_.super_parent[s];
#pragma omp task default(none) firstprivate(s, parent, work, go_on)
          {
            (*work)(s);
            (*go_on)(parent);
          }
        });
      }
    }
  }

  /// Parents first: top(s) before the tasks and fronts below it.  Neither may throw.
  template <class Subtree, class Top>
  void downwards(const Subtree& subtree, const Top& top) {
    if (is_serial()) {
      const FlushSubnormals flush;
      for_each_free_task(subtree);
      for (Index s = symbolic_.nsuper; s-- > 0;) {
        if (plan_.kind[s] != symbolic::FrontKind::kTop) continue;
        top(s);
        for_each_task_of(s, subtree);
      }
      return;
    }
#pragma omp parallel num_threads(threads_) default(shared)
    {
      const FlushSubnormals flush;
#pragma omp single
      {
        for_each_top_ascending([&](Index s) {
          if (symbolic_.super_parent[s] == kNone) spawn_descent(s, &subtree, &top);
        });
        for_each_free_task([&](Index t) { spawn(t, &subtree); });
      }
    }
  }

 private:
  /// A front above the cut is worth a team even alone: its pieces are tasks.
  bool is_serial() const { return threads_ <= 1 || (num_top_ == 0 && plan_.tasks.size() <= 1); }

  Index parent_of_task(Index t) const {
    return symbolic_.super_parent[plan_.tasks.roots(t).front()];
  }

  template <class F>
  void for_each_top_ascending(const F& f) const {
    for (Index s = 0; s < symbolic_.nsuper; ++s) {
      if (plan_.kind[s] == symbolic::FrontKind::kTop) f(s);
    }
  }

  template <class F>
  void for_each_task_of(Index s, const F& f) const {
    const Index first = plan_.first_task[s];
    for (Index t = first; t < first + plan_.num_tasks[s]; ++t) f(t);
  }

  /// Tasks under no front: whole components of the matrix.
  template <class F>
  void for_each_free_task(const F& f) const {
    for (Index t = 0; t < plan_.tasks.size(); ++t) {
      if (parent_of_task(t) == kNone) f(t);
    }
  }

  // A task may begin when the function that made it has returned: tasks are given pointers to the
  // caller's functions, which live as long as the parallel region, and nothing of the stack.

  template <class Subtree>
  static void spawn(Index t, const Subtree* subtree) {
#pragma omp task default(none) firstprivate(t, subtree)
    (*subtree)(t);
  }

  template <class Subtree, class Top>
  void spawn_descent(Index s, const Subtree* subtree, const Top* top) {
#pragma omp task default(none) firstprivate(s, subtree, top)
    descend(s, subtree, top);
  }

  /// Spawns what lies below s, and goes down one branch itself: a chain of fronts takes no stack.
  template <class Subtree, class Top>
  void descend(Index s, const Subtree* subtree, const Top* top) {
    while (s != kNone) {
      (*top)(s);
      for_each_task_of(s, [&](Index t) { spawn(t, subtree); });
      Index next = kNone;
      for (Index c : symbolic_.children(s)) {
        if (plan_.kind[c] != symbolic::FrontKind::kTop) continue;
        if (next != kNone) spawn_descent(next, subtree, top);
        next = c;
      }
      s = next;
    }
  }

  void reset_pending() {
    for (Index s = 0; s < symbolic_.nsuper; ++s) {
      if (plan_.kind[s] == symbolic::FrontKind::kTop) pending_[s] = plan_.num_pending[s];
    }
  }

  const symbolic::SymbolicFactor& symbolic_;
  const symbolic::ExecutionPlan& plan_;
  int threads_;
  Index num_top_ = 0;
  std::unique_ptr<std::atomic<Index>[]>
      pending_;  // What a top front still waits for. Length nsuper.
};

}  // namespace clchol::numeric
