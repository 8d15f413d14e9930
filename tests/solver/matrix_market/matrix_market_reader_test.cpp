// Forms of matrices that are read, each from a few lines of text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using ::testing::ElementsAre;

const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";
// [4 1 .]
// [1 5 2]
// [. 2 6]
const std::string kBody = "3 3 5\n1 1 4\n2 1 1\n2 2 5\n3 2 2\n3 3 6\n";

SymmetricMatrix read(const std::string& text) { return parse_symmetric_matrix(text, "a.mtx"); }

void expect_three_by_three(const SymmetricMatrix& a) {
  EXPECT_EQ(a.n(), 3);
  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(a.values, ElementsAre(4, 1, 5, 2, 6));
}

TEST(ReadSymmetricMatrix, ReadsCoordinateRealSymmetric) {
  const SymmetricMatrix a = read(kSymmetric + kBody);

  expect_three_by_three(a);
  EXPECT_EQ(a.notes.entries_in_file, 5);
  EXPECT_EQ(a.notes.duplicates_summed, 0);
  EXPECT_EQ(a.notes.upper_folded, 0);
  EXPECT_EQ(a.notes.explicit_zeros, 0);
  EXPECT_FALSE(a.notes.general_but_symmetric);
  EXPECT_FALSE(a.notes.compressed);
  EXPECT_EQ(a.notes.bytes_read, static_cast<Offset>(kSymmetric.size() + kBody.size()));
  EXPECT_EQ(a.notes.text_bytes, a.notes.bytes_read);
  EXPECT_GT(a.notes.seconds, 0.0);
}

TEST(ReadSymmetricMatrix, SortsEntriesInAnyOrder) {
  expect_three_by_three(read(kSymmetric + "3 3 5\n3 3 6\n3 2 2\n2 2 5\n2 1 1\n1 1 4\n"));
}

TEST(ReadSymmetricMatrix, SortsEntriesGivenByRows) {
  expect_three_by_three(read(kSymmetric + "3 3 5\n1 1 4\n2 1 1\n2 2 5\n3 2 2\n3 3 6\n"));
}

TEST(ReadSymmetricMatrix, ToleratesBannerInAnyCase) {
  expect_three_by_three(read("%%matrixmarket MATRIX Coordinate DOUBLE Symmetric\n" + kBody));
}

TEST(ReadSymmetricMatrix, ToleratesOnePercentInBanner) {
  expect_three_by_three(read("%MatrixMarket matrix coordinate real symmetric\n" + kBody));
}

TEST(ReadSymmetricMatrix, ToleratesBlanksLinesAndMarkBeforeBanner) {
  expect_three_by_three(read("  \t" + kSymmetric + kBody));
  expect_three_by_three(read("\n\r\n" + kSymmetric + kBody));
  expect_three_by_three(read("\xEF\xBB\xBF" + kSymmetric + kBody));
}

TEST(ReadSymmetricMatrix, ToleratesCommentBehindBanner) {
  expect_three_by_three(
      read("%%MatrixMarket matrix coordinate real symmetric % made by\n" + kBody));
}

TEST(ReadSymmetricMatrix, ReadsCarriageReturns) {
  expect_three_by_three(
      read("%%MatrixMarket matrix coordinate real symmetric\r\n%\r\n\r\n3 3 5\r\n1 1 4\r\n2 1 1\r\n"
           "2 2 5\r\n3 2 2\r\n3 3 6\r\n"));
}

TEST(ReadSymmetricMatrix, SkipsCommentsAndBlankLinesAnywhere) {
  expect_three_by_three(
      read(kSymmetric + "% a comment\n\n  % indented\n3 3 5\n\n1 1 4\n%\n2 1 1\n   \n2 2 5\n\t% x\n"
                        "3 2 2\n3 3 6\n\n% end\n\n"));
}

TEST(ReadSymmetricMatrix, SkipsLeadingAndTrailingBlanks) {
  expect_three_by_three(
      read(kSymmetric + "  3\t3   5  \n  1 1 4\n\t2 1 1 \n2   2\t5\t\n 3 2 2\n    3 3 6  \n"));
}

TEST(ReadSymmetricMatrix, NeedsNoLastLineEnd) {
  expect_three_by_three(read(kSymmetric + kBody.substr(0, kBody.size() - 1)));
}

TEST(ReadSymmetricMatrix, ReadsFortranExponentsAndPlusSigns) {
  const SymmetricMatrix a = read(kSymmetric + "2 2 3\n+1 +1 +1.5D-03\n2 1 -1d5\n2 2 2.5+100\n");

  EXPECT_THAT(a.values, ElementsAre(1.5e-3, -1e5, 2.5e100));
}

TEST(ReadSymmetricMatrix, ReadsIntegersBeyondTwoToThe53) {
  const SymmetricMatrix a = read(
      "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 9007199254740993\n"
      "2 2 123456789012345678901234567890\n");

  EXPECT_THAT(a.values, ElementsAre(9007199254740992.0, 123456789012345678901234567890.0));
}

TEST(ReadSymmetricMatrix, ReadsRealValuesInIntegerFile) {
  EXPECT_THAT(read("%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 2.5\n").values,
              ElementsAre(2.5));
}

TEST(ReadSymmetricMatrix, AcceptsUnderflow) {
  EXPECT_THAT(read(kSymmetric + "2 2 2\n1 1 1e-400\n2 2 1e-310\n").values,
              ElementsAre(0.0, 1e-310));
}

TEST(ReadSymmetricMatrix, KeepsExplicitZeros) {
  const SymmetricMatrix a = read(kSymmetric + "2 2 3\n1 1 1\n2 1 0.0\n2 2 -0\n");

  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1));
  EXPECT_EQ(a.notes.explicit_zeros, 2);
}

TEST(ReadSymmetricMatrix, KeepsAbsentDiagonalAbsent) {
  const SymmetricMatrix a = read(kSymmetric + "3 3 2\n1 1 1\n3 2 7\n");

  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 2));
}

TEST(ReadSymmetricMatrix, ReadsNoEntries) {
  const SymmetricMatrix a = read(kSymmetric + "2 2 0\n");

  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 0, 0));
  EXPECT_TRUE(a.values.empty());
}

TEST(ReadSymmetricMatrix, SumsDuplicatesInFileOrder) {
  // (1e16 + 1) - 1e16 is 0 in double; (1e16 - 1e16) + 1 is 1.
  const SymmetricMatrix a = read(kSymmetric + "2 2 5\n2 1 1e16\n1 1 3\n2 1 1\n2 2 4\n2 1 -1e16\n");

  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1));
  EXPECT_THAT(a.values, ElementsAre(3, 0, 4));
  EXPECT_EQ(a.notes.duplicates_summed, 2);
  EXPECT_EQ(a.notes.entries_in_file, 5);
}

TEST(ReadSymmetricMatrix, SumsNeighbouringDuplicatesOfSortedFile) {
  const SymmetricMatrix a = read(kSymmetric + "1 1 2\n1 1 1.5\n1 1 2\n");

  EXPECT_THAT(a.values, ElementsAre(3.5));
  EXPECT_EQ(a.notes.duplicates_summed, 1);
}

TEST(ReadSymmetricMatrix, FoldsUpperTriangleOfSymmetricFile) {
  const SymmetricMatrix a = read(kSymmetric + "3 3 5\n1 1 4\n1 2 1\n2 2 5\n2 3 2\n3 3 6\n");

  expect_three_by_three(a);
  EXPECT_EQ(a.notes.upper_folded, 2);
  EXPECT_EQ(a.notes.mirrored_pairs, 0);
  EXPECT_EQ(a.notes.duplicates_summed, 0);
}

TEST(ReadSymmetricMatrix, FoldsMixedTrianglesOfSymmetricFile) {
  const SymmetricMatrix a = read(kSymmetric + "3 3 5\n2 3 2\n1 1 4\n2 1 1\n2 2 5\n3 3 6\n");

  expect_three_by_three(a);
  EXPECT_EQ(a.notes.upper_folded, 1);
}

TEST(ReadSymmetricMatrix, SumsSomeMirroredEntriesOfSymmetricFile) {
  const SymmetricMatrix a =
      read(kSymmetric + "3 3 6\n1 1 4\n2 1 0.25\n1 2 0.75\n2 2 5\n3 2 2\n3 3 6\n");

  expect_three_by_three(a);
  EXPECT_EQ(a.notes.mirrored_pairs, 1);
  EXPECT_EQ(a.notes.duplicates_summed, 1);
  EXPECT_EQ(a.notes.upper_folded, 1);
}

TEST(ReadSymmetricMatrix, KeepsNegativeZeroWhenTrianglesAreJoined) {
  const SymmetricMatrix a = read(kSymmetric + "2 2 3\n1 1 1\n1 2 -0.0\n2 2 1\n");

  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.values[1]), std::bit_cast<std::uint64_t>(-0.0));
}

TEST(ReadSymmetricMatrix, AcceptsSymmetricMatrixInGeneralFile) {
  const SymmetricMatrix a =
      read(kGeneral + "3 3 7\n1 1 4\n1 2 1\n2 1 1\n2 2 5\n2 3 2\n3 2 2\n3 3 6\n");

  expect_three_by_three(a);
  EXPECT_TRUE(a.notes.general_but_symmetric);
  EXPECT_EQ(a.notes.upper_folded, 0);
  EXPECT_EQ(a.notes.mirrored_pairs, 0);
}

TEST(ReadSymmetricMatrix, KeepsLowerOfNearlyEqualPair) {
  // 1 + 2^-50 differs from 1 by 4 eps.
  const SymmetricMatrix a =
      read(kGeneral + "2 2 4\n1 1 4\n1 2 1\n2 1 1.00000000000000088817841970012523\n2 2 5\n");

  EXPECT_EQ(a.values[1], 1.0 + 0x1p-50);
}

TEST(ReadSymmetricMatrix, LetsGeneralPatternsDifferByExplicitZeros) {
  const SymmetricMatrix a = read(kGeneral + "2 2 3\n1 1 4\n1 2 0\n2 2 5\n");
  const SymmetricMatrix b = read(kGeneral + "2 2 3\n1 1 4\n2 1 0\n2 2 5\n");

  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1));
  EXPECT_THAT(b.lower.rowind, ElementsAre(0, 1, 1));
}

TEST(ReadSymmetricMatrix, SumsDuplicatesOfGeneralFileBeforeComparing) {
  const SymmetricMatrix a =
      read(kGeneral + "2 2 6\n1 1 4\n1 2 1\n2 1 0.5\n1 2 2\n2 1 2.5\n2 2 5\n");

  EXPECT_THAT(a.values, ElementsAre(4, 3, 5));
  EXPECT_EQ(a.notes.duplicates_summed, 2);
}

TEST(ReadSymmetricMatrix, ReadsSymmetricArray) {
  const SymmetricMatrix a =
      read("%%MatrixMarket matrix array real symmetric\n3 3\n4\n1\n0\n5\n2\n6\n");

  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 3, 5, 6));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 2, 1, 2, 2));
  EXPECT_THAT(a.values, ElementsAre(4, 1, 0, 5, 2, 6));
  EXPECT_EQ(a.notes.explicit_zeros, 1);
  EXPECT_EQ(a.notes.entries_in_file, 6);
}

TEST(ReadSymmetricMatrix, ReadsGeneralArray) {
  const SymmetricMatrix a = read("%%MatrixMarket matrix array integer general\n2 2\n4\n1\n1\n5\n");

  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1));
  EXPECT_THAT(a.values, ElementsAre(4, 1, 5));
  EXPECT_TRUE(a.notes.general_but_symmetric);
}

TEST(ReadSymmetricMatrix, ReportsProgressOnCallingThread) {
  std::vector<double> fractions;
  ReadOptions options = {.threads = 2, .block_bytes = 16};
  options.progress_context = &fractions;
  options.progress = [](void* context, double fraction) {
    static_cast<std::vector<double>*>(context)->push_back(fraction);
  };

  parse_symmetric_matrix(kSymmetric + kBody, "a.mtx", options);

  ASSERT_GT(fractions.size(), 2U);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
}

TEST(ReadSymmetricMatrix, StopsWhenCancelled) {
  const std::atomic<bool> cancel = true;
  EXPECT_THROW(parse_symmetric_matrix(kSymmetric + kBody, "a.mtx", {.cancel = &cancel}),
               Interrupted);
}

TEST(ReadSymmetricMatrix, CarriesExceptionsOfTheCallback) {
  ReadOptions options = {.threads = 2};
  options.progress = [](void*, double) { throw 7; };
  EXPECT_THROW(parse_symmetric_matrix(kSymmetric + kBody, "a.mtx", options), int);
}

TEST(ReadSymmetricMatrix, RefusesNegativeThreads) {
  EXPECT_EQ(test::refusal_of(
                [] { parse_symmetric_matrix(kSymmetric + kBody, "a.mtx", {.threads = -1}); }),
            "threads is -1, expected 0 or more");
}

TEST(ReadSymmetricMatrix, WorksInSeveralThreads) {
  bool same[2] = {false, false};
  const auto read_both = [&](bool& is_same) {
    is_same =
        test::identical(read(kSymmetric + kBody), read(kGeneral + "3 3 7\n1 1 4\n1 2 1\n2 1 1\n"
                                                                  "2 2 5\n2 3 2\n3 2 2\n3 3 6\n"));
  };
  std::thread other([&] { read_both(same[0]); });
  read_both(same[1]);
  other.join();
  EXPECT_TRUE(same[0] && same[1]);
}

}  // namespace
}  // namespace clchol::solver
