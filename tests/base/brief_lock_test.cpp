#include "base/brief_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace clchol {
namespace {

TEST(BriefLock, LetsOneThreadInAtATime) {
  constexpr int kThreads = 8, kTurns = 5000;  // More threads than processors: holders are put off.
  BriefLock lock;
  long count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < kTurns; ++k) {
        const std::lock_guard guard(lock);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(count, long{kThreads} * kTurns);
}

}  // namespace
}  // namespace clchol
