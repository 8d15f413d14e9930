// Settings of a factorization or a solve: number of threads, cancellation and progress reports.
#pragma once

#include <atomic>

namespace clchol::numeric {

/// Settings of one call, which may take long.
struct Control {
  int threads = 1;  // Maximum number of host threads, >= 1.
  // Flag that cancels the call: the call ends early after the flag becomes true.  Null: the call
  // cannot be cancelled.
  const std::atomic<bool>* cancel = nullptr;
  // Function that a factorization calls to report progress: `done` flops of `total` flops are done.
  // Any thread of the call may call the function, but no two threads at the same time.  Null: no
  // progress is reported.
  void (*progress)(void* data, double done, double total) = nullptr;
  void* progress_data = nullptr;  // First argument of `progress`.

  /// @return whether the flag `cancel` is set.
  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

}  // namespace clchol::numeric
