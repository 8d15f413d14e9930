// Changes of memory become counters of a trace.
#include "solver/trace/memory_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace clchol::solver {
namespace {

using testing::ElementsAre;

std::vector<TraceCounter> counters(std::vector<TraceChange> changes,
                                   const std::vector<MemoryBudget>& budgets = {}) {
  Trace trace;
  add_memory(std::move(changes), budgets, "host", trace);
  return trace.data().counters;
}

std::vector<std::pair<double, std::int64_t>> samples(const TraceCounter& counter) {
  std::vector<std::pair<double, std::int64_t>> list;
  for (const TraceCounter::Sample& sample : counter.samples) {
    list.emplace_back(sample.time_s, sample.bytes);
  }
  return list;
}

TEST(MemoryTrace, ChangesAreSummedInTheOrderOfTheirTimes) {
  const auto got = counters({{3, {.tier = kHostTier, .bytes = -40}},
                             {1, {.tier = kHostTier, .bytes = 100, .is_total = true}},
                             {2, {.tier = kHostTier, .bytes = 50}},
                             {0, {.tier = kHostTier, .bytes = 7}}});

  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].name, "host memory");
  EXPECT_EQ(got[0].process, "host");
  EXPECT_THAT(samples(got[0]), ElementsAre(std::pair(0, 7), std::pair(1, 100), std::pair(2, 150),
                                           std::pair(3, 110)));
}

TEST(MemoryTrace, AtOneTimeBytesBecomeFreeFirst) {
  const auto got = counters({{1, {.tier = kFileTier, .bytes = 10}},
                             {2, {.tier = kFileTier, .bytes = 10}},
                             {2, {.tier = kFileTier, .bytes = -10}}});

  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].name, "file");
  EXPECT_THAT(samples(got[0]), ElementsAre(std::pair(1, 10), std::pair(2, 10)));
}

TEST(MemoryTrace, KindsOfMemoryHaveCountersWithTheirBudgets) {
  const auto got = counters({{1, {.tier = kFileTier, .bytes = 0, .is_total = true}},
                             {1, {.tier = kHostTier, .bytes = 5}},
                             {1, {.tier = kDeviceTier, .bytes = 6}}},
                            {{kHostTier, 50}, {kFileTier, 60}});

  ASSERT_EQ(got.size(), 2U);  // The file was not in use.
  EXPECT_EQ(got[0].name, "device memory");
  EXPECT_EQ(got[0].budget, std::nullopt);
  EXPECT_EQ(got[1].name, "host memory");
  EXPECT_EQ(got[1].budget, 50);
}

}  // namespace
}  // namespace clchol::solver
