// Work for a team of OpenMP threads as tasks, exceptions included: none may leave a task or a team.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "base/types.hpp"

namespace clchol {

/// Calls f(0) .. f(count - 1), each as a task where there are several, and waits for them.  Then
/// throws the first exception that one of them threw, if any; no call begins after one that threw.
template <class F>
void run_tasks(Index count, const F& f) {
  if (count == 1) return f(0);
  std::exception_ptr failure;
  std::atomic<bool> has_failed{false};
  std::mutex mutex;
#pragma omp taskgroup
  for (Index k = 0; k < count; ++k) {
#pragma omp task default(shared) firstprivate(k)
    {
      try {
        if (!has_failed) f(k);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        has_failed = true;
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Calls f() in a task of its own, which nobody waits for here; f throws nothing and is moved.
template <class F>
void spawn_task(F f) {
  // Tasks copy what they are given: a pointer is all that this one gets.
  F* const call = std::make_unique<F>(std::move(f)).release();
#pragma omp task default(none) firstprivate(call)
  {
    const std::unique_ptr<F> owned(call);
    (*owned)();
  }
}

/// Calls f() once, inside a team of that many threads, which work on the tasks that it makes.
/// Throws what f throws.
template <class F>
void run_in_team(int threads, const F& f) {
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    try {
      f();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace clchol
