#include "base/team.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace clchol {
namespace {

class Team : public testing::TestWithParam<int> {};

TEST_P(Team, MakesEachCallOnce) {
  std::vector<std::atomic<int>> calls(1000);

  run_in_team(GetParam(), [&] { run_tasks(1000, [&](Index k) { ++calls[k]; }); });

  for (const auto& count : calls) ASSERT_EQ(count, 1);
}

TEST_P(Team, NumbersItsMembersBelowItsSize) {
  std::atomic<int> worst{0};
  std::vector<std::atomic<int>> inside(GetParam());
  std::atomic<bool> shared{false};

  run_in_team(GetParam(), [&] {
    EXPECT_EQ(team_member(), 0);
    EXPECT_EQ(team_size(), GetParam());
    run_tasks(500, [&](Index) {
      const int member = team_member();
      if (member >= GetParam()) {
        worst = member;
        return;
      }
      if (inside[member].fetch_add(1) != 0) shared = true;
      inside[member].fetch_sub(1);
    });
  });

  EXPECT_EQ(worst, 0);
  EXPECT_FALSE(shared);  // No two threads are one member.
  EXPECT_EQ(team_size(), 1);
  EXPECT_EQ(team_member(), 0);
}

// Steps that each ask for a team, inside a computation that runs in a team.
TEST_P(Team, IsOneForStepsOfTheSameSize) {
  std::atomic<int> calls{0};
  std::vector<int> sizes, members;

  run_in_team(GetParam(), [&] {
    for (const int size : {GetParam(), GetParam() + 1, GetParam()}) {
      run_in_team(size, [&] {
        sizes.push_back(team_size());
        members.push_back(team_member());
        run_tasks(100, [&](Index) { ++calls; });
      });
      EXPECT_EQ(team_size(), GetParam());
    }
  });

  EXPECT_EQ(sizes, (std::vector<int>{GetParam(), GetParam() + 1, GetParam()}));
  EXPECT_EQ(members, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(calls, 300);
}

TEST_P(Team, NestsTasks) {
  std::atomic<Index> sum{0};

  run_in_team(GetParam(), [&] {
    run_tasks(8, [&](Index i) {
      run_tasks(8, [&](Index j) { run_tasks(3, [&](Index k) { sum += i * 64 + j * 8 + k; }); });
    });
  });

  Index expected = 0;
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 8; ++j) {
      for (Index k = 0; k < 3; ++k) expected += i * 64 + j * 8 + k;
    }
  }
  EXPECT_EQ(sum, expected);
}

TEST_P(Team, MakesTeamsInTasksOfTeams) {
  std::atomic<int> wrong{0}, calls{0};

  run_in_team(GetParam(), [&] {
    run_tasks(6, [&](Index) {
      const int outside = team_member();
      run_in_team(2, [&] {
        if (team_member() != 0 || team_size() != 2) ++wrong;
        run_tasks(5, [&](Index) {
          if (team_member() >= 2) ++wrong;
          ++calls;
        });
      });
      if (team_member() != outside) ++wrong;
    });
  });

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(calls, 30);
}

TEST_P(Team, ThrowsTheFirstExceptionAfterTheCallsUnderWay) {
  std::atomic<int> under_way{0}, begun{0};
  const auto throws = [&](Index k) {
    ++begun;
    ++under_way;
    const std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> leave(
        &under_way, [](std::atomic<int>* count) { --*count; });
    if (k == 3) throw std::out_of_range("three");
  };

  EXPECT_THROW(run_in_team(GetParam(), [&] { run_tasks(100000, throws); }), std::out_of_range);

  EXPECT_EQ(under_way, 0);
  EXPECT_LT(begun, 100000);
  std::atomic<int> after{0};  // A later team works.
  run_in_team(GetParam(), [&] { run_tasks(10, [&](Index) { ++after; }); });
  EXPECT_EQ(after, 10);
}

TEST_P(Team, ThrowsWhatItsFunctionThrows) {
  EXPECT_THROW(run_in_team(GetParam(), [] { throw std::domain_error("x"); }), std::domain_error);
}

TEST_P(Team, HasTheCallersRounding) {
  const int before = std::fegetround();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::atomic<int> other{0};

  run_in_team(GetParam(), [&] {
    run_tasks(64, [&](Index) {
      if (std::fegetround() != FE_UPWARD) ++other;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
  });
  std::fesetround(before);

  EXPECT_EQ(other, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, Team, testing::Values(1, 2, 3, 8),
                         [](const auto& p) { return "Threads" + std::to_string(p.param); });

TEST(RunTasks, SharesTheWorkAmongThreads) {
  // Two calls wait for each other to begin: a single thread would never end.
  std::atomic<int> begun{0};
  ASSERT_EQ(obtain_threads(2), 2);

  run_in_team(2, [&] {
    run_tasks(2, [&](Index) {
      ++begun;
      while (begun < 2) std::this_thread::yield();
    });
  });

  EXPECT_EQ(begun, 2);
}

TEST(RunTasks, WaitingThreadsTakeUpOnlyWhatTheyWaitFor) {
  // A call that waits for its own tasks must not begin another call of the outer set meanwhile.
  std::atomic<int> wrong{0};
  thread_local bool is_waiting = false;

  run_in_team(3, [&] {
    run_tasks(200, [&](Index) {
      if (is_waiting) ++wrong;
      is_waiting = true;
      run_tasks(4, [](Index) { std::this_thread::yield(); });
      is_waiting = false;
    });
  });

  EXPECT_EQ(wrong, 0);
}

class Queue : public testing::TestWithParam<int> {};

TEST_P(Queue, WorksOffWhatComesUp) {
  // A binary tree of 2^12 - 1 nodes: node k has children 2 k + 1 and 2 k + 2.
  constexpr Index kNodes = (1 << 12) - 1;
  std::vector<std::atomic<int>> visits(kNodes);
  TaskQueue<Index> queue;
  queue.push(0);

  run_in_team(GetParam(), [&] {
    queue.run([&](Index k) {
      ++visits[k];
      if (2 * k + 2 < kNodes) {
        queue.push(2 * k + 1);
        queue.push(2 * k + 2);
      }
    });
  });

  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

TEST_P(Queue, TakesItemsThatOnlyMove) {
  std::atomic<int> sum{0};
  TaskQueue<std::unique_ptr<int>> queue;
  for (int k = 1; k <= 10; ++k) queue.push(std::make_unique<int>(k));

  run_in_team(GetParam(), [&] {
    queue.run([&](const std::unique_ptr<int>& item) {
      sum += *item;
      if (*item == 10) queue.push(std::make_unique<int>(100));
    });
  });

  EXPECT_EQ(sum, 155);
}

TEST_P(Queue, ThrowsWhatTheWorkThrows) {
  TaskQueue<int> queue;
  queue.push(0);

  EXPECT_THROW(run_in_team(GetParam(),
                           [&] {
                             queue.run([&](int k) {
                               if (k == 50) throw std::range_error("fifty");
                               queue.push(k + 1);
                             });
                           }),
               std::range_error);
}

INSTANTIATE_TEST_SUITE_P(Threads, Queue, testing::Values(1, 2, 3, 8),
                         [](const auto& p) { return "Threads" + std::to_string(p.param); });

TEST(ParallelFor, CoversEveryNumberOnceForAnyLengthAndThreads) {
  for (Index n : {0, 1, 2, 5, 6, 7, 12, 13, 100, 1001}) {
    for (int threads : {1, 2, 3, 7}) {
      SCOPED_TRACE(testing::Message() << n << " numbers, " << threads << " threads");
      std::vector<std::atomic<int>> seen(n);
      parallel_for(n, threads, [&](Index i) { ++seen[i]; });
      for (const auto& count : seen) ASSERT_EQ(count, 1);
    }
  }
}

TEST(ParallelReduce, CombinesAllBlocks) {
  for (int threads : {1, 2, 5}) {
    const Offset sum = parallel_reduce(
        1000, threads, Offset{0},
        [](Offset begin, Offset end) { return (begin + end - 1) * (end - begin) / 2; },
        [](Offset a, Offset b) { return a + b; });
    EXPECT_EQ(sum, 499500);
  }
}

TEST(TeamsOfSeveralThreads, ShareThePool) {
  std::atomic<Offset> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        run_in_team(3, [&] { run_tasks(20, [&](Index k) { sum += k; }); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(sum, 6 * 50 * 190);
}

TEST(ObtainThreads, IsBounded) {
  EXPECT_EQ(obtain_threads(1), 1);
  EXPECT_EQ(obtain_threads(-3), 1);
  EXPECT_EQ(obtain_threads(2), 2);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// ThreadSanitizer does not follow threads into a forked child.
#define CLCHOL_UNDER_THREAD_SANITIZER
#endif
#endif
#ifndef CLCHOL_UNDER_THREAD_SANITIZER

TEST(ForkedChild, HasTeamsOfItsOwn) {
  run_in_team(2, [] { run_tasks(8, [](Index) {}); });

  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // A child that hangs is killed.
    std::atomic<int> begun{0};
    run_in_team(2, [&] {
      run_tasks(2, [&](Index) {
        ++begun;
        while (begun < 2) std::this_thread::yield();
      });
    });
    _exit(begun == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

#endif

}  // namespace
}  // namespace clchol
