// Settings of a long phase: threads, cancellation and progress reports.
#pragma once

#include <atomic>

namespace clchol::numeric {

struct Control {
  int threads = 1;  // Threads to use, >= 1.
  // The phase ends early after this flag becomes true.  Null: the phase cannot be cancelled.
  const std::atomic<bool>* cancel = nullptr;
  // Called with the work done and the total work of the phase.  Any thread of the phase may call
  // it, but never two threads at the same time.
  void (*progress)(void* data, double done, double total) = nullptr;
  void* progress_data = nullptr;

  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

}  // namespace clchol::numeric
