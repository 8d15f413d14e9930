// A spin lock for critical sections of a few instructions that many threads enter at once.
#pragma once

#include <atomic>
#include <thread>

namespace clchol {

/// Tells the processor that the thread is in a spin loop.
inline void pause_thread() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// A lock for std::lock_guard.  A thread that waits for the lock spins, and after a while yields
/// its processor, because the owner of the lock may have lost its own processor.  A std::mutex puts
/// a waiting thread to sleep at once, which takes a hundred times as long as the critical section.
class BriefLock {
 public:
  void lock() noexcept {
    for (int spins = 0; is_held_.exchange(true, std::memory_order_acquire);) {
      while (is_held_.load(std::memory_order_relaxed)) {
        if (++spins < kSpins) {
          pause_thread();
        } else {
          std::this_thread::yield();
        }
      }
    }
  }
  void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

 private:
  static constexpr int kSpins = 200;
  std::atomic<bool> is_held_{false};
};

}  // namespace clchol
