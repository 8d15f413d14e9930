#include "base/prefix_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace clchol {
namespace {

TEST(PrefixSums, StartAtZeroAndEndWithTheWhole) {
  const std::vector<Offset> counts = {3, 0, 4, 1};
  std::vector<Offset> sums(5, -1);

  prefix_sums(4, 1, sums.data(), [&](Index i) { return counts[i]; });

  EXPECT_THAT(sums, testing::ElementsAre(0, 3, 3, 7, 8));
}

TEST(PrefixSums, OfNothingAreZero) {
  Offset sum = -1;

  prefix_sums(0, 3, &sum, [](Index) { return Offset{1}; });

  EXPECT_EQ(sum, 0);
}

TEST(PrefixSums, AreTheSameForAnyNumberOfThreads) {
  // Lengths around the least that several threads share; half of the counts are zero.
  for (const Index n : {1, 2, 49999, 50000, 100001}) {
    std::vector<Offset> expected(n + 1, 0);
    for (Index i = 0; i < n; ++i) expected[i + 1] = i < n / 2 ? 0 : i % 7;
    std::vector<Offset> sums;
    const std::vector<Offset> counts = expected;
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    for (const int threads : {1, 2, 3, 8}) {
      sums = counts;  // Summed up in place.
      sums[0] = -1;
      prefix_sums(n, threads, sums.data(), [&](Index i) { return sums[i + 1]; });
      EXPECT_EQ(sums, expected) << n << " " << threads;
    }
  }
}

}  // namespace
}  // namespace clchol
