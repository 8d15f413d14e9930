#include "base/timer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace clchol {
namespace {

void sleep_20_ms() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

TEST(Timer, CountsSeconds) {
  const Timer timer;

  sleep_20_ms();

  EXPECT_GE(timer.seconds(), 0.020);
  EXPECT_LT(timer.seconds(), 20.0);  // Fails if the unit is milliseconds, even on a slow machine.
}

TEST(Timer, NeverRunsBackwards) {
  const Timer timer;
  double last = timer.seconds();
  for (int k = 0; k < 1000; ++k) {
    const double now = timer.seconds();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Timer, BeginsAnewAfterRestart) {
  Timer timer;
  const Timer other;
  sleep_20_ms();

  timer.restart();

  EXPECT_LE(timer.seconds(), other.seconds() - 0.020);
}

}  // namespace
}  // namespace clchol
