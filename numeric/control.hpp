// Settings of a factorization or a solve: number of threads, cancellation and progress reports.
#pragma once

#include <atomic>

namespace clchol::numeric {

/// Settings of one call of a function that factors or solves.
struct Control {
  int threads = 1;  // Maximum number of host threads, >= 1.
  // Flag that cancels the call, owned by the caller: when another host thread sets the flag to
  // true, the call returns early, without a valid result.  Null: the call cannot be cancelled.
  const std::atomic<bool>* cancel = nullptr;
  // Function that a factorization calls to report progress: `done` of the `total` floating-point
  // operations of the factorization have been executed.  Each call may come from another thread of
  // the factorization, but no two calls run at the same time.  Null: no progress is reported.
  void (*progress)(void* data, double done, double total) = nullptr;
  void* progress_data = nullptr;  // First argument of `progress`.

  /// @return whether the flag `cancel` is set.
  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

}  // namespace clchol::numeric
