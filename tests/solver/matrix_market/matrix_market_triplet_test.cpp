// CHOLMOD's triplet files: sizes with an stype, with or without a banner, from 0 or from 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using test::matrix_refusal;
using ::testing::ElementsAre;

// [4 1 .]
// [1 5 2]
// [. 2 6]
const std::string kLowerFromZero = "0 0 4\n1 0 1\n1 1 5\n2 1 2\n2 2 6\n";
const std::string kLowerFromOne = "1 1 4\n2 1 1\n2 2 5\n3 2 2\n3 3 6\n";
const std::string kUpperFromZero = "0 0 4\n0 1 1\n1 1 5\n1 2 2\n2 2 6\n";

SymmetricMatrix read_triplets(const std::string& text) {
  return parse_symmetric_matrix(text, "a.mtx");
}

SymmetricMatrix expect_triplets_of_three(const std::string& text) {
  SCOPED_TRACE(text);
  SymmetricMatrix a = read_triplets(text);
  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(a.values, ElementsAre(4, 1, 5, 2, 6));
  return a;
}

TEST(TripletFile, CountsFromZeroWhereAZeroStands) {
  EXPECT_TRUE(expect_triplets_of_three("3 3 5 -1\n" + kLowerFromZero).notes.zero_based);
  EXPECT_FALSE(expect_triplets_of_three("3 3 5 -1\n" + kLowerFromOne).notes.zero_based);
}

TEST(TripletFile, HasItsLowerTriangleStoredForNegativeStypes) {
  for (const std::string stype : {"-1", "-7"}) {
    const SymmetricMatrix a =
        expect_triplets_of_three("3 3 7 " + stype + "\n" + kLowerFromZero + "0 1 9\n0 2 9\n");
    EXPECT_EQ(a.notes.outside_dropped, 2);
    EXPECT_EQ(a.notes.upper_folded, 0);
  }
}

TEST(TripletFile, HasItsUpperTriangleStoredForPositiveStypes) {
  for (const std::string stype : {"1", "+1", "3"}) {
    const SymmetricMatrix a =
        expect_triplets_of_three("3 3 6 " + stype + "\n" + kUpperFromZero + "2 0 9\n");
    EXPECT_EQ(a.notes.outside_dropped, 1);
    EXPECT_EQ(a.notes.upper_folded, 0);
  }
}

TEST(TripletFile, IsUnsymmetricForStypeZero) {
  const SymmetricMatrix a =
      expect_triplets_of_three("3 3 7 0\n" + kLowerFromZero + "0 1 1\n1 2 2\n");
  EXPECT_TRUE(a.notes.general_but_symmetric);
  EXPECT_EQ(matrix_refusal("3 3 5 0\n" + kLowerFromZero),
            "a.mtx: the matrix is not symmetric: worst at (3, 2) = 2 and (2, 3) = 0");
}

TEST(TripletFile, IsSymmetricWithoutAnStypeWhereOneTriangleIsStored) {
  expect_triplets_of_three("3 3 5\n" + kLowerFromZero);
  expect_triplets_of_three("3 3 5\n" + kLowerFromOne);
  EXPECT_EQ(expect_triplets_of_three("3 3 5\n" + kUpperFromZero).notes.upper_folded, 0);
  EXPECT_THAT(read_triplets("2 2 2\n0 0 1\n1 1 3\n").values, ElementsAre(1, 3));
}

TEST(TripletFile, IsUnsymmetricWithoutAnStypeWhereBothTrianglesAreStored) {
  EXPECT_TRUE(expect_triplets_of_three("3 3 7\n" + kLowerFromOne + "1 2 1\n2 3 2\n")
                  .notes.general_but_symmetric);
  EXPECT_EQ(matrix_refusal("2 2 4\n0 0 1\n0 1 2\n1 0 -2\n1 1 3\n"),
            "a.mtx: the matrix is not symmetric: worst at (2, 1) = -2 and (1, 2) = 2");
}

TEST(TripletFile, MayHaveABannerBesideItsStype) {
  for (const std::string kind : {"general", "symmetric"}) {
    expect_triplets_of_three("%%MatrixMarket matrix coordinate real " + kind + "\n3 3 5 1\n" +
                             kUpperFromZero);
  }
}

TEST(TripletFile, MayHaveAZeroForRealValuesBehindItsStype) {
  expect_triplets_of_three("3 3 5 -1 0\n" + kLowerFromZero);
}

TEST(TripletFile, MayBeginWithComments) {
  expect_triplets_of_three("% title: a frame\n\n%key\n  3 3 5 -1\n" + kLowerFromZero);
  expect_triplets_of_three("%%\n% matrix of a frame\n3 3 5 -1\n% entries\n" + kLowerFromZero);
}

TEST(TripletFile, SumsDuplicates) {
  const SymmetricMatrix a =
      expect_triplets_of_three("3 3 6 -1\n0 0 1.5\n1 0 1\n1 1 5\n2 1 2\n2 2 6\n0 0 2.5\n");
  EXPECT_EQ(a.notes.duplicates_summed, 1);
}

TEST(MatrixMarketFile, MayHaveCommentsBeforeItsBanner) {
  expect_triplets_of_three(
      "% made by hand\n%\n%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n" +
      kLowerFromOne);
}

TEST(MatrixMarketFile, MayHaveTheWordsOfItsBannerCutShort) {
  expect_triplets_of_three("%%MatrixMarket mat coord real sym\n3 3 5\n" + kLowerFromOne);
  EXPECT_EQ(matrix_refusal("%%MatrixMarket matrix co real symmetric\n1 1 1\n1 1 4\n"),
            "a.mtx, line 1: unknown format 'co' in the banner, expected '%%MatrixMarket matrix "
            "coordinate|array real|integer general|symmetric'");
}

TEST(TripletFile, IsTheSameWhateverBlocksAndThreads) {
  constexpr int kOrder = 300;
  std::string text = "% head\n300 300 599 1\n";
  for (int k = kOrder - 1; k >= 0; --k) {
    if (k % 7 == 0) text += "%\n\n";
    text += std::to_string(k) + " " + std::to_string(k) + " 4.5\n";
    if (k > 0) text += std::to_string(k - 1) + " " + std::to_string(k) + " -1\n";
  }
  const SymmetricMatrix expected = read_triplets(text);
  ASSERT_EQ(expected.lower.view().nnz(), 599);
  for (int threads = 1; threads <= 4; ++threads) {
    for (std::size_t block_bytes : {1, 17, 64, 1000}) {
      EXPECT_TRUE(test::identical(
          expected,
          parse_symmetric_matrix(text, "a.mtx", {.threads = threads, .block_bytes = block_bytes})));
    }
  }
}

struct RefusedTriplets {
  const char* name;  // Name of the test case.
  std::string content;
  std::string message;  // The expected message, in full.
};

class TripletRefusal : public ::testing::TestWithParam<RefusedTriplets> {};

TEST_P(TripletRefusal, SaysWhereAndWhy) {
  EXPECT_EQ(matrix_refusal(GetParam().content), GetParam().message);
  for (const std::size_t block_bytes : {1, 20}) {
    const ReadOptions options = {.block_bytes = block_bytes};
    EXPECT_EQ(
        test::refusal_of([&] { parse_symmetric_matrix(GetParam().content, "a.mtx", options); }),
        GetParam().message);
  }
}

const RefusedTriplets kRefusals[] = {
    {"Hermitian", "3 3 1 -1\n% one\n1 1 1. 0.\n",
     "a.mtx, line 3: hermitian (complex) matrices are not supported; expected real symmetric"},
    {"Complex", "3 3 1 0\n1 1 1. 0.\n",
     "a.mtx, line 2: complex values are not supported; expected real or integer"},
    {"ComplexWithoutStype", "3 3 1\n1 1 1. 0.\n",
     "a.mtx, line 2: complex values are not supported; expected real or integer"},
    {"ComplexBySizes", "5 5 1 1 2\n0 0 2.5 0\n",
     "a.mtx, line 1: hermitian (complex) matrices are not supported; expected real symmetric"},
    {"Pattern", "3 3 1 1\n0 0\n",
     "a.mtx, line 2: a pattern has no values; the solver needs a real or integer file"},
    {"Rectangular", "3 2 1 0\n0 0 1\n",
     "a.mtx, line 1: the matrix is 3 x 2, expected a square one"},
    {"Empty", "0 0 0 0\n",
     "a.mtx, line 1: number of rows '0': the matrix is empty, expected at least 1"},
    {"NegativeRows", "-3 3 5 1\n1 1 1\n", "a.mtx, line 1: number of rows '-3' is negative"},
    {"StypeBeyondInt64", "1 1 1 99999999999999999999\n1 1 1\n",
     "a.mtx, line 1: stype '99999999999999999999' is not an integer"},
    {"WordAsStype", "%%MatrixMarket matrix coordinate real general\n1 1 1 upper\n1 1 1\n",
     "a.mtx, line 2: stype 'upper' is not an integer"},
    {"IndexBeyondBothBases", "3 3 1 0\n999 1 3.14\n",
     "a.mtx, line 2: row index '999' is outside 0..3"},
    {"NegativeIndex", "3 3 1 0\n1 -1 3.14\n", "a.mtx, line 2: column index '-1' is outside 0..3"},
    {"ZeroAndOrder", "2 2 4 -1\n2 2 1\n1 0 0.5\n1 1 1\n2 1 0.5\n",
     "a.mtx, line 2: index 2 is outside 0..1 (0-based, for a 0 stands in line 3)"},
    {"FewerEntries", "10 10 44 3\n0 0 1\n",
     "a.mtx, line 2: the file ends after 1 entries, fewer than the 44 that line 1 promises"},
    {"NoEntries", "10 10 44 3\n",
     "a.mtx, line 1: the file ends after 0 entries, fewer than the 44 that line 1 promises"},
    {"MoreEntries", "1 1 1 1\n0 0 1\n0 0 1\n",
     "a.mtx, line 3: surplus entry: more than the 1 that line 1 promises"},
    {"OneWordAsEntry", "3 3 1 0\n5\n",
     "a.mtx, line 2: expected 'row column value', found 1 word: '5'"},
    {"LaterEntryWithoutValue", "2 2 2 1\n0 0 1\n1 1\n",
     "a.mtx, line 3: expected 'row column value', found 2 words: '1 1'"},
    {"SkewSymmetricInSpiteOfStype",
     "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1 -1\n2 1 1\n",
     "a.mtx, line 1: a skew-symmetric matrix is not positive definite; expected symmetric"},
};

INSTANTIATE_TEST_SUITE_P(OfFiles, TripletRefusal, ::testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TripletFile, MayHoldRightHandSides) {
  const DenseMatrix b = parse_dense("3 2 3 0\n0 0 1\n2 0 2\n1 1 3\n", "b.mtx");
  EXPECT_THAT(b.values, ElementsAre(1, 0, 2, 0, 3, 0));
  EXPECT_EQ(test::refusal_of([] { parse_dense("2 2 1 1\n0 0 1\n", "b.mtx"); }),
            "b.mtx, line 1: expected a general matrix, found a symmetric one");
}

// A comment line is longer than two blocks of the reader, so that no buffer holds it.
TEST(MatrixMarketFile, MayHaveCommentsOfAnyLength) {
  const std::string comment = " %" + std::string(5 << 20, '7') + "\n";
  expect_triplets_of_three("%%MatrixMarket matrix coordinate real symmetric\n" + comment +
                           "3 3 5\n" + kLowerFromOne);
  expect_triplets_of_three(comment + "3 3 5 -1\n" + comment + kLowerFromZero + comment);
  EXPECT_EQ(matrix_refusal(comment + "3 3 1 -1\n" + comment + "x\n"),
            "a.mtx, line 4: expected 'row column value', found 1 word: 'x'");
}

TEST(MatrixMarketFile, MayEndInACommentOfAnyLength) {
  expect_triplets_of_three("3 3 5 -1\n" + kLowerFromZero + "%" + std::string(5 << 20, ' '));
}

}  // namespace
}  // namespace clchol::solver
