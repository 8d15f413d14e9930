#include "ordering/pivot_score.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace clchol::ordering {
namespace {

TEST(PivotScore, OfKDegreeIsTheDegree) {
  EXPECT_EQ(pivot_score(PivotScore::kDegree, 12, 5, 3), 12);
}

TEST(PivotScore, IsZeroWhereNoEdgeIsNew) {
  EXPECT_EQ(pivot_score(PivotScore::kDegreeAndFill, 0, 0, 1), 0);
  EXPECT_EQ(pivot_score(PivotScore::kDegreeAndFill, 1, 0, 1), 0);
  EXPECT_EQ(pivot_score(PivotScore::kDegreeAndFill, 9, 9, 1), 0);
}

TEST(PivotScore, IsTheGeometricMeanOfDegreeAndFill) {
  // d = 9, c = 0, w = 2: fill = sqrt(72 / 2) = 6, score = floor(sqrt(54)) = 7.
  EXPECT_EQ(pivot_score(PivotScore::kDegreeAndFill, 9, 0, 2), 7);
}

TEST(PivotScore, DoesNotOverflowAtTheLargestDegree) {
  const Index largest = std::numeric_limits<Index>::max() - 2;

  const Index score = pivot_score(PivotScore::kDegreeAndFill, largest, 0, 1);

  EXPECT_LE(score, largest);
  EXPECT_GE(score, largest - 2);
}

TEST(PivotScore, StaysBetweenZeroAndTheDegree) {
  EXPECT_TRUE(rc::check([] {
    const Index degree = *rc::gen::inRange<Index>(0, 1 << 30);
    const Index clique = *rc::gen::inRange<Index>(0, degree + 1);
    const Index weight = *rc::gen::inRange<Index>(1, 1000);
    const Index score = pivot_score(PivotScore::kDegreeAndFill, degree, clique, weight);
    RC_ASSERT(score >= 0);
    RC_ASSERT(score <= degree);
  }));
}

}  // namespace
}  // namespace clchol::ordering
