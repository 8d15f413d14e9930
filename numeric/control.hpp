// What the caller of a long phase may steer and watch.
#pragma once

#include <atomic>

namespace clchol::numeric {

struct Control {
  int threads = 1;                            // Threads to use, >= 1.
  const std::atomic<bool>* cancel = nullptr;  // When it turns true the phase ends early.
  // Called with work done and work in all, from any thread of the phase but never from two at once.
  void (*progress)(void* data, double done, double total) = nullptr;
  void* progress_data = nullptr;

  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
};

}  // namespace clchol::numeric
