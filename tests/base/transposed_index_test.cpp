#include "base/transposed_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/builders.hpp"

namespace clchol {
namespace {

using testing::ElementsAre;

TEST(TransposedIndex, ListsTheStrictTriangleByRows) {
  // [x . . .; x x . .; . . . .; x x x x]
  const CscPattern lower{4, {0, 3, 5, 6, 7}, {0, 1, 3, 1, 3, 3, 3}};

  const TransposedIndex index = make_transposed_index(lower.view());

  EXPECT_THAT(index.rowptr, ElementsAre(0, 0, 1, 1, 4));
  EXPECT_THAT(index.column, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(index.source, ElementsAre(1, 2, 4, 5));
}

TEST(TransposedIndex, OfADiagonalIsEmpty) {
  for (const Index n : {1, 5}) {
    const TransposedIndex index = make_transposed_index(test::diagonal(n).pattern.view(), 2);

    EXPECT_EQ(index.rowptr, UninitializedVector<Offset>(n + 1, 0));
    EXPECT_TRUE(index.column.empty());
    EXPECT_TRUE(index.source.empty());
  }
}

TEST(TransposedIndex, ListsLongRowsOfBothTriangles) {
  // Row 600 of 1000 has 600 entries before the diagonal and one on it; row 0 has the
  // diagonal and the columns from 200 on.
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < 1000; ++i) triplets.push_back({i, i, 1});
  for (Index j = 0; j < 600; ++j) triplets.push_back({600, j, 1});
  for (Index i = 200; i < 1000; ++i) {
    if (i != 600) triplets.push_back({i, 0, 1});
  }

  const TransposedIndex index =
      make_transposed_index(test::from_triplets(1000, triplets).pattern.view());

  EXPECT_THAT(index.long_rows.row, ElementsAre(0, 600));
  EXPECT_EQ(index.long_rows.segment, 128);
}

TEST(TransposedIndex, SplitsLongRowsOnlyWhereThatIsCheap) {
  const TransposedIndex none = make_transposed_index(test::tridiagonal(2000).pattern.view());
  EXPECT_TRUE(none.long_rows.row.empty());
  EXPECT_EQ(none.long_rows.segment, 2000);

  const TransposedIndex all = make_transposed_index(test::dense_spd(600, 1).pattern.view());
  EXPECT_EQ(all.long_rows.row.size(), 600U);
  EXPECT_EQ(all.long_rows.segment, 128);

  // A band: nearly all rows are long, and there would be too many partial sums of 128 columns.
  constexpr Index kSize = 20000, kHalf = 300;
  CscPattern band{kSize, {0}, {}};
  for (Index j = 0; j < kSize; ++j) {
    for (Index i = j; i < std::min(kSize, j + kHalf + 1); ++i) band.rowind.push_back(i);
    band.colptr.push_back(static_cast<Offset>(band.rowind.size()));
  }
  const LongRows rows = make_transposed_index(band.view()).long_rows;
  const auto long_rows = static_cast<Offset>(rows.row.size());
  EXPECT_GT(long_rows, kSize / 2);
  EXPECT_LE(kSize / rows.segment * long_rows, band.view().nnz() / 8);
  EXPECT_LT(rows.segment, 1000);
}

void expect_index_of(const TransposedIndex& index, const CscPatternView& lower) {
  ASSERT_EQ(index.rowptr.size(), static_cast<std::size_t>(lower.n) + 1);
  Offset below = 0;
  for (Index j = 0; j < lower.n; ++j) below += static_cast<Offset>(lower.below_diagonal(j).size());
  ASSERT_EQ(index.rowptr.back(), below);
  for (Index i = 0; i < lower.n; ++i) {
    for (Offset k = index.rowptr[i]; k < index.rowptr[i + 1]; ++k) {
      const Index j = index.column[k];
      const std::uint32_t p = index.source[k];
      ASSERT_TRUE(lower.colptr[j] <= p && p < lower.colptr[j + 1]);
      ASSERT_EQ(lower.rowind[p], i);
      ASSERT_LT(j, i);
      ASSERT_TRUE(k == index.rowptr[i] || index.column[k - 1] < j);
    }
  }
}

TEST(TransposedIndex, IsTheSameForAnyNumberOfThreads) {
  // Enough entries for at least three blocks of columns; every block has entries in the last row.
  for (const test::LowerMatrix& a : {test::grid2d(500, 500), test::dense_spd(1200, 1),
                                     test::bundle_adjustment(4, 20000, 3, 2)}) {
    const CscPatternView lower = a.pattern.view();
    ASSERT_GT(lower.nnz(), 600000);
    const TransposedIndex expected = make_transposed_index(lower, 1);
    expect_index_of(expected, lower);
    for (const int threads : {2, 3, 16}) {
      const TransposedIndex index = make_transposed_index(lower, threads);
      EXPECT_EQ(index.rowptr, expected.rowptr);
      EXPECT_EQ(index.column, expected.column);
      EXPECT_EQ(index.source, expected.source);
    }
  }
}

TEST(TransposedIndex, RefusesMoreEntriesThanItCanNumber) {
  constexpr Offset kTooMany = 4294967295;
  const std::vector<Offset> colptr = {0, kTooMany};

  EXPECT_THAT(
      [&] {
        make_transposed_index({1, colptr, {}});
      },
      testing::ThrowsMessage<InvalidArgument>("matrix: 4294967295 entries in one triangle; at most "
                                              "4294967294 are supported"));
}

}  // namespace
}  // namespace clchol
