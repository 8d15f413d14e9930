#include "ordering/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ordering/amd.hpp"
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
  counts.add_columns(3, 2);  // Counts 5, 4, 3.
  counts.add_columns(1, 0);
  EXPECT_EQ(counts.nnz_l, 5 + 4 + 3 + 1);
  EXPECT_EQ(counts.flops, 25 + 16 + 9 + 1);
}

TEST(FillCounts, OfAmdBoundThoseOfItsOrderFromAbove) {
  AmdOptions options;
  options.dense = -1;  // Else rows may be set aside, and left out of the counts.
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Graph g = test::random_graph(120, 1 + 0.4 * seed, seed);
    const AmdResult result = amd(Graph(g), options);
    const auto entries = static_cast<double>(test::count_factor_entries(g, result.order));
    EXPECT_GE(result.counts.nnz_l, entries) << seed;
    EXPECT_LE(result.counts.nnz_l, 1.005 * entries) << seed;  // A few entries of thousands.
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

TEST(Choice, IsAmdWhereTheFactorIsNearlyFull) {
  EXPECT_FALSE(choose({0.06 * 1728 * 1728, 4e9}, 1728, 1).dissect);
  EXPECT_TRUE(choose({0.04 * 1728 * 1728, 4e9}, 1728, 1).dissect);
}

TEST(Choice, CountsWhatTallTreesCost) {
  const FillCounts amd{1e5, 2e6};  // Dissection saves nothing here.
  ChoiceOptions options;
  options.factorizations = 1000;
  ASSERT_FALSE(choose_method(amd, 1728, cube(), options).dissect);
  options.amd_seconds = 0.0005;

  EXPECT_TRUE(choose_method(amd, 1728, cube(), options).dissect);

  options.factorizations = 1;
  EXPECT_FALSE(choose_method(amd, 1728, cube(), options).dissect);
}

TEST(Choice, IsAmdWhereDissectionSavesNothing) {
  // 20 flops an entry: the fill of a long thin grid.
  EXPECT_FALSE(choose({1e5, 2e6}, 1728, 1000).dissect);
}

}  // namespace
}  // namespace clchol::ordering
