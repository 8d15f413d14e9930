// A lock for sections of some instructions that many threads enter at the same moment.
#pragma once

#include <atomic>
#include <thread>

namespace clchol {

/// Tells the processor that the thread spins.
inline void pause_thread() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Waits by spinning, then by letting other threads run: one that holds the lock may have lost its
/// processor.  A std::mutex puts a thread to sleep as soon as it has to wait, which takes a hundred
/// times as long as the section.
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
