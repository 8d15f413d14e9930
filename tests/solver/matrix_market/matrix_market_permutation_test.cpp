#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using ::testing::ElementsAre;

const std::string kIntegerArray = "%%MatrixMarket matrix array integer general\n";

std::vector<Index> perm(const std::string& text, Index size = kNone) {
  return parse_permutation(text, "p.mtx", size).perm;
}
std::string permutation_refusal(const std::string& text, Index size = kNone) {
  return test::refusal_of([&] { parse_permutation(text, "p.mtx", size); });
}

TEST(ReadPermutation, ReadsMatrixMarketArray) {
  EXPECT_THAT(perm(kIntegerArray + "% by hand\n3 1\n3\n1\n2\n", 3), ElementsAre(2, 0, 1));
}

TEST(ReadPermutation, SeesBannerBehindBlanksAndMark) {
  EXPECT_THAT(perm("\n  " + kIntegerArray + "2 1\n2\n1\n"), ElementsAre(1, 0));
  EXPECT_THAT(perm("\xEF\xBB\xBF" + kIntegerArray + "2 1\n2\n1\n"), ElementsAre(1, 0));
}

TEST(ReadPermutation, FillsBothDirections) {
  const ordering::Permutation p = parse_permutation("3 1 2", "p.txt");
  EXPECT_THAT(p.perm, ElementsAre(2, 0, 1));
  EXPECT_THAT(p.iperm, ElementsAre(1, 2, 0));
}

TEST(ReadPermutation, ReadsPlainListWithComments) {
  EXPECT_THAT(perm("# new order\n3 1\r\n% more\n\n  2 # last\n"), ElementsAre(2, 0, 1));
}

TEST(ReadPermutation, TakesAZeroAsSignOfZeroBase) {
  EXPECT_THAT(perm("2 0 1"), ElementsAre(2, 0, 1));
  EXPECT_THAT(perm(kIntegerArray + "2 1\n1\n0\n"), ElementsAre(1, 0));
}

TEST(ReadPermutation, RefusesIndexOutOfRange) {
  EXPECT_EQ(permutation_refusal("1 2\n4\n"), "p.mtx, line 2: index 4 is outside 1..3");
  EXPECT_EQ(permutation_refusal("0 2\n3\n"),
            "p.mtx, line 2: index 3 is outside 0..2 (0-based, for a 0 stands in the file)");
  EXPECT_EQ(permutation_refusal("1 -2"), "p.mtx, line 1: index '-2' is outside 1..2147483646");
  EXPECT_EQ(permutation_refusal("1 99999999999"),
            "p.mtx, line 1: index '99999999999' is outside 1..2147483646");
}

TEST(ReadPermutation, RefusesRepeatedIndex) {
  EXPECT_EQ(permutation_refusal("1\n2\n2\n"), "p.mtx, line 3: index 2 stands twice");
}

TEST(ReadPermutation, RefusesWrongLength) {
  EXPECT_EQ(permutation_refusal("1 2\n", 3),
            "p.mtx, line 1: 2 integers, expected 3, the order of the matrix");
  EXPECT_EQ(permutation_refusal(kIntegerArray + "3 1\n1\n2\n"),
            "p.mtx, line 4: 2 integers, but line 2 implies 3");
}

TEST(ReadPermutation, RefusesOtherContents) {
  EXPECT_EQ(permutation_refusal(""), "p.mtx: the file holds no integers, expected a permutation");
  EXPECT_EQ(permutation_refusal("1 two"), "p.mtx, line 1: expected an integer, found 'two'");
  EXPECT_EQ(permutation_refusal("1.0 2.0"), "p.mtx, line 1: expected an integer, found '1.0'");
  EXPECT_EQ(permutation_refusal("%%MatrixMarket matrix array real general\n1 1\n1\n"),
            "p.mtx, line 1: expected a permutation: '%%MatrixMarket matrix array integer general', "
            "n x 1");
}

TEST(WritePermutation, WritesOneBasedIntegers) {
  const test::TemporaryFolder folder;
  write_permutation(folder.file("p.mtx"), std::vector<Index>{2, 0, 1});

  EXPECT_EQ(test::file_content(folder.file("p.mtx")), kIntegerArray + "3 1\n3\n1\n2\n");
  EXPECT_THAT(read_permutation(folder.file("p.mtx"), 3).perm, ElementsAre(2, 0, 1));
}

TEST(WritePermutation, RefusesWhatIsNone) {
  const test::TemporaryFolder folder;
  EXPECT_NE(test::refusal_of([&] {
              write_permutation(folder.file("p.mtx"), std::vector<Index>{0, 0});
            }),
            "(accepted)");
  EXPECT_TRUE(folder.names().empty());
}

TEST(ReadPermutation, MayHaveCommentsBeforeItsBanner) {
  const auto p = parse_permutation(
      "% an order\n\n%%\n%%MatrixMarket matrix array integer general\n3 1\n3\n1\n2\n", "p.mtx");

  EXPECT_THAT(p.perm, ::testing::ElementsAre(2, 0, 1));
}

}  // namespace
}  // namespace clchol::solver
