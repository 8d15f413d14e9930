#include "solver/trace/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace clchol::solver {
namespace {

TEST(Trace, TrackOfANameIsMadeOnce) {
  Trace trace;

  EXPECT_EQ(trace.track("host", "phases"), 0);
  EXPECT_EQ(trace.track("device", "phases"), 1);
  EXPECT_EQ(trace.track("host", "phases"), 0);
  EXPECT_EQ(trace.data().tracks.size(), 2U);
}

TEST(Trace, UnknownTrackIsRefused) {
  Trace trace;

  EXPECT_THROW(trace.add({.name = "e", .category = "c", .track = 0}), InvalidArgument);
  EXPECT_TRUE(trace.data().events.empty());
}

TEST(Trace, TimeRunsFromItsZero) {
  const auto before = Trace::Clock::now();
  const Trace trace;
  const double first = trace.now();
  const double second = trace.now();

  EXPECT_GE(trace.zero(), before);
  EXPECT_GE(first, 0);
  EXPECT_GE(second, first);
}

TEST(Trace, ThreadsLoseNothing) {
  constexpr int kThreads = 4, kEvents = 500;
  Trace trace;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&trace, t] {
      for (int k = 0; k < kEvents; ++k) {
        const Index track = trace.track("thread", std::to_string(t));
        trace.add({.name = "e", .category = "c", .track = track, .start_s = double(k)});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  const TraceData data = trace.data();

  EXPECT_EQ(data.tracks.size(), std::size_t{kThreads});
  EXPECT_EQ(data.events.size(), std::size_t{kThreads} * kEvents);
}

}  // namespace
}  // namespace clchol::solver
