#include "base/csc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace clchol {
namespace {

using testing::ElementsAre;

/// Pattern [x . .; x x .; . x x].
CscPattern small() { return {3, {0, 2, 4, 5}, {0, 1, 1, 2, 2}}; }

TEST(CscPatternView, CountsItsEntries) { EXPECT_EQ(small().view().nnz(), 5); }

TEST(CscPatternView, OfNothingHasNoEntries) { EXPECT_EQ(CscPatternView{}.nnz(), 0); }

TEST(CscPatternView, HandsOutColumns) {
  const CscPattern p = small();

  EXPECT_THAT(p.view().column(0), ElementsAre(0, 1));
  EXPECT_THAT(p.view().column(2), ElementsAre(2));
}

TEST(CscPatternView, HandsOutWhatIsBelowTheDiagonal) {
  // [x . . .; x . . .; . . x .; . x . .]
  const CscPattern p{4, {0, 2, 3, 4, 4}, {0, 1, 3, 2}};

  EXPECT_THAT(p.view().below_diagonal(0), ElementsAre(1));
  EXPECT_THAT(p.view().below_diagonal(1), ElementsAre(3));
  EXPECT_TRUE(p.view().below_diagonal(2).empty());
  EXPECT_TRUE(p.view().below_diagonal(3).empty());
}

TEST(IsSortedLower, AcceptsALowerTriangle) { EXPECT_TRUE(is_sorted_lower(small().view())); }

TEST(IsSortedLower, AcceptsMissingDiagonalsAndEmptyColumns) {
  const CscPattern p{3, {0, 1, 1, 2}, {2, 2}};

  EXPECT_TRUE(is_sorted_lower(p.view()));
}

TEST(IsSortedLower, RefusesAnEntryAboveTheDiagonal) {
  const CscPattern p{2, {0, 1, 3}, {0, 0, 1}};

  EXPECT_FALSE(is_sorted_lower(p.view()));
}

TEST(IsSortedLower, RefusesRowsOutOfOrder) {
  const CscPattern p{3, {0, 3, 3, 3}, {0, 2, 1}};

  EXPECT_FALSE(is_sorted_lower(p.view()));
}

TEST(IsSortedLower, RefusesDuplicates) {
  const CscPattern p{2, {0, 3, 3}, {0, 1, 1}};

  EXPECT_FALSE(is_sorted_lower(p.view()));
}

TEST(IsSortedLower, RefusesARowBeyondTheEnd) {
  const CscPattern p{2, {0, 2, 2}, {0, 2}};

  EXPECT_FALSE(is_sorted_lower(p.view()));
}

}  // namespace
}  // namespace clchol
