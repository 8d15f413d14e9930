// Files read with ReadOptions::pattern_only, for callers that need no values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "solver/harwell_boeing.hpp"
#include "solver/matrix_market.hpp"
#include "tests/solver/matrix_market/matrix_market_support.hpp"

namespace clchol::solver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ReadOptions kPatternOnly = {.pattern_only = true};

SymmetricMatrix read_pattern(const std::string& text) {
  return parse_symmetric_matrix(text, "a.mtx", kPatternOnly);
}

std::string pattern_refusal(const std::string& text) {
  return test::refusal_of([&] { read_pattern(text); });
}

void expect_pattern_of_three(const SymmetricMatrix& a) {
  EXPECT_THAT(a.lower.colptr, ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(a.lower.rowind, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(a.values, IsEmpty());
  EXPECT_EQ(a.notes.explicit_zeros, 0);
}

TEST(PatternFile, IsReadWhereNoValuesAreNeeded) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern ";
  expect_pattern_of_three(read_pattern(head + "symmetric\n3 3 5\n1 1\n2 1\n2 2\n3 2\n3 3\n"));
  expect_pattern_of_three(read_pattern(head + "symmetric\n3 3 5\n1 1\r\n 2\t1 \r\n2 2\n3 2\n3 3"));
  expect_pattern_of_three(
      read_pattern(head + "general\n3 3 7\n1 1\n2 1\n2 2\n3 2\n3 3\n1 2\n2 3\n"));
  expect_pattern_of_three(read_pattern("3 3 5 1\n0 0\n0 1\n1 1\n1 2\n2 2\n"));
}

TEST(PatternFile, MayNameAPositionTwice) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern ";
  expect_pattern_of_three(
      read_pattern(head + "general\n3 3 8\n1 1\n2 1\n2 2\n3 2\n3 3\n1 2\n2 3\n2 3\n"));
  expect_pattern_of_three(
      read_pattern(head + "symmetric\n3 3 7\n1 1\n2 1\n2 2\n3 2\n3 3\n1 2\n2 3\n"));
}

TEST(PatternFile, IsRefusedWhereItIsNotSymmetric) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(pattern_refusal(head + "2 2 3\n1 1\n2 1\n2 2\n"),
            "a.mtx: the pattern is not symmetric: it has (2, 1) but not (1, 2)");
  EXPECT_EQ(pattern_refusal(head + "2 2 3\n1 1\n1 2\n2 2\n"),
            "a.mtx: the pattern is not symmetric: it has (1, 2) but not (2, 1)");
}

TEST(PatternFile, IsRefusedWithValues) {
  EXPECT_EQ(pattern_refusal("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1 4\n"),
            "a.mtx, line 3: expected 'row column', found 3 words: '1 1 4'");
}

TEST(PatternFile, IsRefusedAsAnArray) {
  EXPECT_EQ(pattern_refusal("%%MatrixMarket matrix array pattern symmetric\n1 1\n1\n"),
            "a.mtx, line 1: an array of a pattern has neither places nor values; expected "
            "coordinate");
}

TEST(ComplexFile, IsRefusedWhereNoValuesAreNeededToo) {
  EXPECT_EQ(pattern_refusal("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 4 0\n"),
            "a.mtx, line 1: hermitian (complex) matrices are not supported; expected real "
            "symmetric");
}

TEST(RealFile, KeepsItsValuesWhereNoneAreNeeded) {
  const SymmetricMatrix a =
      read_pattern("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n");
  EXPECT_THAT(a.values, ElementsAre(4));
}

TEST(HarwellBoeingPattern, IsReadWhereNoValuesAreNeeded) {
  const std::string text =
      "A pattern                                                               PATTERN1\n"
      "             2             1             1             0             0\n"
      "PSA                        3             3             5             0\n"
      "(4I4)           (5I4)\n"
      "   1   3   5   6\n"
      "   1   2   2   3   3\n";
  expect_pattern_of_three(parse_harwell_boeing(text, "a.psa", kPatternOnly));
  EXPECT_EQ(
      test::refusal_of([&] { parse_harwell_boeing(text, "a.psa"); }),
      "a.psa, line 3: type 'PSA': a pattern has no values; the solver needs a real or integer "
      "file");
}

}  // namespace
}  // namespace clchol::solver
