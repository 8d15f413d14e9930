// A loop as OpenMP tasks, exceptions included: none may leave a task.
#pragma once

#include <exception>
#include <mutex>

#include "base/types.hpp"

namespace clchol::ordering {

/// Calls f(0) .. f(count - 1), each as a task where there are several, and waits for them.  Then
/// throws the first exception that one of them threw, if any.
template <class F>
void run_tasks(Index count, const F& f) {
  if (count == 1) return f(0);
  std::exception_ptr failure;
  std::mutex mutex;
#pragma omp taskgroup
  for (Index k = 0; k < count; ++k) {
#pragma omp task default(shared) firstprivate(k)
    {
      try {
        f(k);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace clchol::ordering
