#include "ordering/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ordering/elimination/amd.hpp"
#include "tests/ordering/elimination.hpp"
#include "tests/support/builders.hpp"

namespace clchol::ordering {
namespace {

using ::testing::HasSubstr;

Graph cube() { return make_graph(test::grid3d(12, 12, 12).pattern.view()); }

Choice choose(const FillCounts& amd, Index rows, double factorizations) {
  ChoiceOptions options;
  options.factorizations = factorizations;
  return choose_method(amd, rows, cube(), options);
}

// ---- counts -------------------------------------------------------------------------------------

TEST(FillCounts, OfColumnsWithTheSameRows) {
  FillCounts counts;
  counts.add_columns(3, 2);  // Column counts 5, 4, 3.
  counts.add_columns(1, 0);
  EXPECT_EQ(counts.nnz_l, 5 + 4 + 3 + 1);
  EXPECT_EQ(counts.flops, 25 + 16 + 9 + 1);
}

TEST(FillCounts, OfAmdBoundThoseOfItsOrderFromAbove) {
  AmdOptions options;
  options.dense = -1;  // Otherwise the counts may lack dense rows.
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Graph g = test::random_graph(120, 1 + 0.4 * seed, seed);
    const AmdResult result = amd(Graph(g), options);
    const auto entries = static_cast<double>(test::count_factor_entries(g, result.order));
    EXPECT_GE(result.counts.nnz_l, entries) << seed;
    EXPECT_LE(result.counts.nnz_l, 1.005 * entries) << seed;  // A few entries more, of thousands.
  }
  const Graph path = make_graph(test::tridiagonal(50).pattern.view());
  EXPECT_EQ(amd(Graph(path)).counts.nnz_l, 99);
  EXPECT_EQ(amd(Graph(path)).counts.flops, 49 * 4 + 1);
}

// ---- choice -------------------------------------------------------------------------------------

TEST(Choice, IsAmdWhereAFactorizationIsCheaperThanDissection) {
  const Choice choice = choose({1e5, 1e7}, 1728, 1);
  EXPECT_FALSE(choice.dissect);
  EXPECT_THAT(choice.reason, HasSubstr("amd"));
  EXPECT_THAT(choice.reason, HasSubstr("nd:best"));
}

TEST(Choice, SearchesTheLongerTheMoreFactorizationsFollow) {
  const FillCounts amd{1.4e5, 4e7};
  ASSERT_FALSE(choose(amd, 1728, 1).dissect);
  int last = 0;
  bool best_was_chosen = false;
  for (double factorizations = 1; factorizations < 1e7; factorizations *= 2) {
    const Choice choice = choose(amd, 1728, factorizations);
    const int rank = choice.dissect ? 1 + static_cast<int>(choice.effort) : 0;
    EXPECT_GE(rank, last) << factorizations;
    last = rank;
    best_was_chosen = choice.dissect && choice.effort == Effort::kBest;
  }
  EXPECT_TRUE(best_was_chosen);
}

TEST(Choice, SearchesTheLongerTheMoreSolvesFollow) {
  const FillCounts amd{1.4e5, 4e7};
  ChoiceOptions options;
  ASSERT_FALSE(choose_method(amd, 1728, cube(), options).dissect);
  options.solves = 1000;
  EXPECT_TRUE(choose_method(amd, 1728, cube(), options).dissect);
}

TEST(Choice, TriesDissectionWhereANearlyFullFactorIsWorthIt) {
  const double nearly_full = 0.06 * 1728 * 1728;
  const Choice cheap = choose({nearly_full, 1e6}, 1728, 1);
  EXPECT_FALSE(cheap.dissect);
  EXPECT_FALSE(cheap.compare);

  const Choice worth_it = choose({nearly_full, 4e9}, 1728, 1);
  EXPECT_TRUE(worth_it.dissect);
  EXPECT_TRUE(worth_it.compare);
  EXPECT_THAT(worth_it.reason, HasSubstr("nearly full"));

  const Choice sparse = choose({0.04 * 1728 * 1728, 4e9}, 1728, 1);
  EXPECT_TRUE(sparse.dissect);
  EXPECT_FALSE(sparse.compare);
}

TEST(Choice, LetsASearchTakeHalfOfTheFactorizations) {
  ChoiceOptions options;
  EXPECT_EQ(runs_that_pay({1e5, 1e6}, cube(), Effort::kBest, options), 0);
  int last = 0;
  for (double flops = 1e6; flops < 1e12; flops *= 1.5) {
    const FillCounts at_hand{1e5, flops};
    EXPECT_LE(runs_that_pay(at_hand, cube(), Effort::kBalanced, options), 1);
    const int runs = runs_that_pay(at_hand, cube(), Effort::kBest, options);
    EXPECT_GE(runs, last);
    EXPECT_LE(runs, kBestRuns);
    last = runs;
  }
  EXPECT_EQ(last, kBestRuns);
  options.factorizations = 1e6;
  EXPECT_EQ(runs_that_pay({1e5, 1e6}, cube(), Effort::kBalanced, options), 1);
}

TEST(Choice, EndsAmdWhereItTakesLongerThanDissectionAndTheFactorization) {
  // Dissection of the cube takes some milliseconds, a visit of a list entry some nanoseconds.
  const ChoiceOptions options;
  EXPECT_FALSE(has_lost(100000, {1e4, 1e5}, cube(), options));
  EXPECT_TRUE(has_lost(100000000, {1e4, 1e5}, cube(), options));
  EXPECT_FALSE(has_lost(100000000, {1e9, 1e13}, cube(), options));
}

TEST(Choice, CountsWhatTallTreesCost) {
  const FillCounts amd{1e5, 2e6};  // Dissection saves no fill here.
  ChoiceOptions options;
  options.factorizations = 1000;
  ASSERT_FALSE(choose_method(amd, 1728, cube(), options).dissect);
  options.amd_seconds = 0.0005;

  EXPECT_TRUE(choose_method(amd, 1728, cube(), options).dissect);

  options.factorizations = 1;
  EXPECT_FALSE(choose_method(amd, 1728, cube(), options).dissect);
}

TEST(Choice, IsAmdWhereDissectionSavesNothing) {
  // 20 flops per entry of L: the fill of a long thin grid.
  EXPECT_FALSE(choose({1e5, 2e6}, 1728, 1000).dissect);
}

}  // namespace
}  // namespace clchol::ordering
