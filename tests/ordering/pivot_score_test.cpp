#include "ordering/elimination/pivot_score.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace clchol::ordering {
namespace {

constexpr Index kLargest = std::numeric_limits<Index>::max() - 2;

Index fill_score(Index degree, Index clique, Index weight) {
  return pivot_score(PivotScore::kDegreeAndFill, degree, clique, weight);
}

TEST(PivotScore, OfKDegreeIsTheDegree) {
  EXPECT_EQ(pivot_score(PivotScore::kDegree, 12, 5, 3), 12);
}

TEST(PivotScore, IsZeroWhereNoEdgeIsNew) {
  EXPECT_EQ(fill_score(0, 0, 1), 0);
  EXPECT_EQ(fill_score(1, 0, 1), 0);
  EXPECT_EQ(fill_score(9, 9, 1), 0);
  EXPECT_GT(fill_score(2, 1, kLargest), 0);
}

TEST(PivotScore, TakesFourStepsForAFactorOfTwo) {
  // Scores are steps of the logarithm of 16 * 12 / 1 and of 16 * 12 / 2.
  EXPECT_EQ(fill_score(4, 0, 1) - fill_score(4, 0, 2), 4);
}

TEST(PivotScore, RisesWithTheDegreeAndFallsWithCliqueAndWeight) {
  const Index middle = fill_score(20, 10, 4);

  EXPECT_GT(fill_score(30, 10, 4), middle);
  EXPECT_LT(fill_score(20, 18, 4), middle);
  EXPECT_LT(fill_score(20, 10, 8), middle);
}

TEST(PivotScore, StaysInRangeAtTheLargestDegree) {
  EXPECT_LT(fill_score(kLargest, 0, 1), num_pivot_scores(PivotScore::kDegreeAndFill, kLargest));
}

TEST(PivotScore, StaysInRange) {
  EXPECT_TRUE(rc::check([] {
    const Index degree = *rc::gen::inRange<Index>(0, kLargest);
    const Index clique = *rc::gen::inRange<Index>(0, degree + 1);
    const Index weight = *rc::gen::inRange<Index>(1, kLargest);
    for (const PivotScore kind : {PivotScore::kDegree, PivotScore::kDegreeAndFill}) {
      const Index score = pivot_score(kind, degree, clique, weight);
      RC_ASSERT(score >= 0);
      RC_ASSERT(score < num_pivot_scores(kind, kLargest));
    }
  }));
}

}  // namespace
}  // namespace clchol::ordering
